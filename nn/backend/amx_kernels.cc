#include "nn/backend/amx_kernels.h"

#include <omp.h>

#include "nn/kernel_contract.h"

namespace dl::nn {

bool ComputesWithAmx() {
  const StatusOr<Isa> level = ProcessIsa();
  return level.ok() && *level == Isa::kAmx;
}

bool MayUseAmxKernels() { return ComputesWithAmx() && omp_get_max_threads() == 1; }

}  // namespace dl::nn
