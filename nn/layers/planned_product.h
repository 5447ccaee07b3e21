// A matrix product with its scratch memory. It is bound to three matrices, or to several triples of
// matrices in turn.
#pragma once

#include <vector>

#include "nn/backend/matrix_product.h"
#include "nn/layers/conversion.h"

namespace dl::nn {

class PlannedProduct {
 public:
  // Creates the primitive and adds its scratch memory to the arena.
  Status Plan(PlanBuilder& builder, const MatrixProductGeometry& geometry) {
    DL_ASSIGN_OR_RETURN(primitive_, MatrixProduct(geometry));
    scratch_ = AddBuffer(builder, primitive_, Role::kScratchpad);
    return absl::OkStatus();
  }
  bool empty() const { return primitive_.empty(); }
  // Returns the planned product, bound to these matrices, for a caller that keeps several. oneDNN
  // only reads the factors. Bind keeps the product itself, for Run. REQUIRES: Plan was called.
  StatusOr<BoundPrimitive> BindTo(const PlanMemory& memory, const float* a, const float* b,
                                  float* c) const {
    return primitive_.Bind({{Role::kSource, const_cast<float*>(a)},
                            {Role::kWeights, const_cast<float*>(b)},
                            {Role::kDestination, c},
                            {Role::kScratchpad, memory.Buffer(scratch_)}});
  }
  Status Bind(const PlanMemory& memory, const float* a, const float* b, float* c) {
    DL_ASSIGN_OR_RETURN(bound_, BindTo(memory, a, b, c));
    return absl::OkStatus();
  }
  Status Run() const { return bound_.Run(); }  // REQUIRES: Bind was called

 private:
  Primitive primitive_;
  BufferId scratch_ = kNoBuffer;
  BoundPrimitive bound_;
};

}  // namespace dl::nn
