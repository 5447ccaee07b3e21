// The kernel contract: everything that decides the bits of the native kernels on a machine
// (docs/adr/0008). Two executors with equal ids compute equal bits for equal units. The contract of
// portable kernels is PortableContract() in nn/conf/contract_id.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "nn/conf/contract_id.h"

namespace dl::nn {

// Instruction sets that kernels are compiled for, in ascending order. A machine of one level can
// run the levels below it.
enum class Isa : uint8_t {
  kAvx2 = 1,        // with FMA
  kAvx512 = 2,      // F, BW, DQ, VL; neither VNNI nor bf16, so that more CPUs agree
  kAvx512Bf16 = 3,  // also the instructions for bf16
  kAmx = 4,         // also tiles of bf16; the operating system permits their use
};
// Returns the name of nn/conf/contract_id.h: "avx2", "avx512", "avx512_bf16", "amx".
std::string_view IsaName(Isa isa);
StatusOr<Isa> IsaFromName(std::string_view name);  // InvalidArgument for other names

// Returns the highest level that this CPU supports. Returns FailedPrecondition if it lacks AVX2.
StatusOr<Isa> DetectBestIsa();

// Lets this process compute under the contracts of `isa`. If no level is in force, puts one in
// force, for the rest of the process: the highest level of this machine whose ContractIsas include
// `isa`. If a level is in force, changes nothing, and returns OK if its ContractIsas include `isa`.
// Must be called before the first kernel runs. Returns FailedPrecondition if the CPU lacks `isa`, a
// level is in force that gives other bits, or oneDNN refuses the level, for example because kernels
// have already run. Thread-safe, like all functions of this header.
Status SetProcessIsa(Isa isa);
// Returns the level in force. If none is in force, puts DetectBestIsa() in force and returns it.
// Errors are those of DetectBestIsa and SetProcessIsa.
StatusOr<Isa> ProcessIsa();

// Returns the instruction sets under whose contracts a process of this level computes. In float32 a
// process of kAvx512Bf16 or kAmx gives the bits of kAvx512 (docs/adr/0016).
std::vector<Isa> ContractIsas(Isa level);
// Returns the precision in which contracts of `isa` compute.
Precision PrecisionOf(Isa isa);
// Returns FailedPrecondition, with what to do, if a process of this level cannot compute in this
// precision.
Status CheckPrecision(Isa level, Precision precision);

// Returns the kernel contract of this build's native kernels on this machine
// (nn/conf/contract_id.h).
std::string KernelContractId(Isa isa);

}  // namespace dl::nn
