// The vectors of portable kernels.
#pragma once

#include "nn/kernel_contract.h"

namespace dl::nn {

// Returns the number of floats in a vector: 8 with AVX2, 16 with AVX-512. It does not change bits.
inline StatusOr<int> PortableLanes() {
  DL_ASSIGN_OR_RETURN(const Isa level, ProcessIsa());
  constexpr int kAvx2Lanes = 8, kAvx512Lanes = 16;
  return level == Isa::kAvx2 ? kAvx2Lanes : kAvx512Lanes;
}

}  // namespace dl::nn
