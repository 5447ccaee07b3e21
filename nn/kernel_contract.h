// The kernel contract: everything that decides the bits of the `native` kernels on a machine
// (docs/adr/0008). Two executors with equal ids compute equal bits for equal units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "nn/conf/contract_id.h"

namespace dl::nn {

// Instruction sets that kernels are compiled for, in ascending order. A machine of one level can
// run the levels below it.
enum class Isa : uint8_t {
  kAvx2 = 1,    // with FMA
  kAvx512 = 2,  // F, BW, DQ, VL; neither VNNI nor bf16, so that more CPUs agree
};
std::string_view IsaName(Isa isa);                 // "avx2", "avx512"
StatusOr<Isa> IsaFromName(std::string_view name);  // InvalidArgument for other names

// Returns the highest level that this CPU supports. Returns FailedPrecondition if it lacks AVX2.
StatusOr<Isa> DetectBestIsa();

// Sets the level of this process. Must be called before the first kernel runs. Returns
// FailedPrecondition if the CPU lacks the level, another level is already set, or oneDNN refuses
// the level, for example because kernels have already run. Returns OK if this level is already set.
// Thread-safe, like all functions of this header.
Status SetProcessIsa(Isa isa);
// Returns the level in force. If none was set, sets and returns the best one. Errors are those of
// DetectBestIsa and SetProcessIsa.
StatusOr<Isa> ProcessIsa();

// Returns the kernel contract id of this build on this machine (nn/conf/contract_id.h).
std::string KernelContractId(Isa isa);

}  // namespace dl::nn
