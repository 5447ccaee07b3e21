#include "nn/tensor_copy.h"

namespace dl::nn {

StatusOr<TensorCopy> TensorCopy::Create(const Primitive& reorder, const float* from, float* to) {
  TensorCopy copy;
  DL_ASSIGN_OR_RETURN(copy.scratch_,
                      FloatBuffer::Create(reorder.storage_floats(Role::kScratchpad)));
  DL_ASSIGN_OR_RETURN(
      copy.bound_,
      reorder.Bind({{Role::kSource, const_cast<float*>(from)},  // oneDNN only reads its sources
                    {Role::kDestination, to},
                    {Role::kScratchpad, copy.scratch_.data()}}));
  return copy;
}

}  // namespace dl::nn
