// A matrix product with its scratch memory. It is bound to three matrices, or to several triples of
// matrices in turn.
#pragma once

#include <vector>

#include "nn/backend/matrix_product.h"
#include "nn/layers/conversion.h"

namespace dl::nn {

class PlannedProduct {
 public:
  // Creates the primitive and adds its scratch memory to the arena, and memory for B if it is
  // packed. REQUIRES: all products run in the step that is being planned if B is packed.
  Status Plan(PlanBuilder& builder, const MatrixProductGeometry& geometry) {
    DL_ASSIGN_OR_RETURN(primitive_, MatrixProduct(geometry));
    scratch_ = AddBuffer(builder, primitive_, Role::kScratchpad);
    const Layout plain = MatrixProductB(geometry), wanted = primitive_.layout(Role::kWeights);
    if (plain == wanted) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(packing_, Reorder(plain, wanted));
    packed_ = builder.arena().Add(wanted);
    packing_scratch_ = AddBuffer(builder, packing_, Role::kScratchpad);
    return absl::OkStatus();
  }
  bool empty() const { return primitive_.empty(); }
  // Returns the planned product, bound to these matrices, for a caller that keeps several. oneDNN
  // only reads the factors. Bind keeps the product itself, for Run. REQUIRES: Plan was called.
  // If B is packed, the product reads what BindPacking packs.
  StatusOr<BoundPrimitive> BindTo(const PlanMemory& memory, const float* a, const float* b,
                                  float* c) const {
    const float* const factor = packing_.empty() ? b : memory.Buffer(packed_);
    return primitive_.Bind({{Role::kSource, const_cast<float*>(a)},
                            {Role::kWeights, const_cast<float*>(factor)},
                            {Role::kDestination, c},
                            {Role::kScratchpad, memory.Buffer(scratch_)}});
  }
  // Returns what packs B. Must run before the products of each step. Empty if B is not packed.
  StatusOr<BoundPrimitive> BindPacking(const PlanMemory& memory, const float* b) const {
    if (packing_.empty()) return BoundPrimitive();
    return packing_.Bind({{Role::kSource, const_cast<float*>(b)},
                          {Role::kDestination, memory.Buffer(packed_)},
                          {Role::kScratchpad, memory.Buffer(packing_scratch_)}});
  }
  Status Bind(const PlanMemory& memory, const float* a, const float* b, float* c) {
    DL_ASSIGN_OR_RETURN(bound_, BindTo(memory, a, b, c));
    return absl::OkStatus();
  }
  Status Run() const { return bound_.Run(); }  // REQUIRES: Bind was called

 private:
  Primitive primitive_, packing_;
  BufferId scratch_ = kNoBuffer, packed_ = kNoBuffer, packing_scratch_ = kNoBuffer;
  BoundPrimitive bound_;
};

}  // namespace dl::nn
