// The kernel contract: all that decides the bits of the `native` kernels on a machine
// (docs/adr/0008). Two executors with equal ids give equal bits for equal units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "nn/conf/contract_id.h"

namespace dl::nn {

// Instruction sets that kernels are compiled for. Ascending: a machine of a level can run the
// levels below it.
enum class Isa : uint8_t {
  kAvx2 = 1,    // with FMA
  kAvx512 = 2,  // F, BW, DQ, VL; neither VNNI nor bf16, so that more CPUs agree
};
std::string_view IsaName(Isa isa);  // "avx2", "avx512"
StatusOr<Isa> IsaFromName(std::string_view name);

// The highest level of this CPU. FailedPrecondition below AVX2.
StatusOr<Isa> DetectBestIsa();

// Fixes the process's level. Must come before the first kernel of the process; a second call must
// name the same level. FailedPrecondition when the CPU lacks it, or kernels have run. Thread-safe.
Status SetProcessIsa(Isa isa);
// The level in force: the one set, else the best (which is thereby set).
StatusOr<Isa> ProcessIsa();

// Of this build on this machine (nn/conf/contract_id.h).
std::string KernelContractId(Isa isa);

}  // namespace dl::nn
