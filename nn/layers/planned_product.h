// A matrix product with its scratch memory. It is bound to three matrices of float32, or to several
// triples of matrices in turn. In a plan for bf16, it multiplies rounded copies of the factors and
// adds in float32. Callers that multiply a factor several times round it themselves and give
// factors of bf16.
#pragma once

#include <utility>

#include "nn/backend/matrix_product.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/bf16.h"
#include "nn/layers/conversion.h"

namespace dl::nn {

// A factor and its rounded copy. Does nothing without a copy.
struct RoundedFactor {
  const void* from = nullptr;  // of float32 if there is a copy
  uint16_t* to = nullptr;
  int64_t values = 0;

  void Round() const {
    if (to == nullptr) return;
    const auto* const floats = static_cast<const float*>(from);
    ForElements(values, [&](int64_t begin, int64_t end) {
      RoundToBf16(floats + begin, to + begin, end - begin);
    });
  }
  // Returns what a product multiplies. oneDNN only reads it.
  void* Factor() const { return to != nullptr ? to : const_cast<void*>(from); }
};

// A product that is bound to three matrices. Empty if it is default-constructed.
class BoundProduct {
 public:
  BoundProduct() = default;
  BoundProduct(const RoundedFactor& a, const RoundedFactor& b, BoundPrimitive primitive)
      : a_(a), b_(b), primitive_(std::move(primitive)) {}
  // Computes C from A and B. Returns the errors of BoundPrimitive::Run. REQUIRES: not empty.
  Status Run() const {
    a_.Round();
    b_.Round();
    return primitive_.Run();
  }

 private:
  RoundedFactor a_, b_;
  BoundPrimitive primitive_;
};

class PlannedProduct {
 public:
  // Creates the primitive and adds its scratch memory to the arena, and memory for copies of the
  // factors: rounded ones unless the geometry has factors of bf16, or a packed B. REQUIRES: all
  // products run in the step that is being planned if B is packed.
  Status Plan(PlanBuilder& builder, const MatrixProductGeometry& geometry) {
    MatrixProductGeometry g = geometry;
    g.kernels = builder.kernels();
    if (builder.precision() == Precision::kBf16 && g.factors == DataType::kFloat32) {
      g.factors = DataType::kBf16;
      a_values_ = g.batch * g.rows * g.inner;
      b_values_ = g.batch * g.inner * g.columns;
      a_copy_ = builder.arena().Add<uint16_t>(a_values_);
      if (!g.packs_b) b_copy_ = builder.arena().Add<uint16_t>(b_values_);
    }
    DL_ASSIGN_OR_RETURN(primitive_, MatrixProduct(g));
    scratch_ = AddBuffer(builder, primitive_, Role::kScratchpad);
    const Layout plain = MatrixProductB(geometry), wanted = primitive_.layout(Role::kWeights);
    if (!g.packs_b || plain == wanted) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(packing_, Reorder(plain, wanted));  // also rounds to bf16
    packed_ = builder.arena().Add(wanted);
    packing_scratch_ = AddBuffer(builder, packing_, Role::kScratchpad);
    return absl::OkStatus();
  }
  bool empty() const { return primitive_.empty(); }
  // Returns the planned product, bound to these matrices, for a caller that keeps several. Bind
  // keeps the product itself, for Run. REQUIRES: Plan was called. If B is packed, the product reads
  // what BindPacking packs.
  StatusOr<BoundProduct> BindTo(const PlanMemory& memory, const void* a, const void* b,
                                float* c) const {
    const RoundedFactor rounded_a{a, memory.Buffer<uint16_t>(a_copy_), a_values_};
    const RoundedFactor rounded_b{b, memory.Buffer<uint16_t>(b_copy_), b_values_};
    void* const factor = packing_.empty() ? rounded_b.Factor() : memory.Untyped(packed_);
    DL_ASSIGN_OR_RETURN(BoundPrimitive primitive,
                        primitive_.Bind({{Role::kSource, rounded_a.Factor()},
                                         {Role::kWeights, factor},
                                         {Role::kDestination, c},
                                         {Role::kScratchpad, memory.Buffer(scratch_)}}));
    return BoundProduct(rounded_a, rounded_b, std::move(primitive));
  }
  // Returns the operation that packs B. The caller runs it in each step of the plan, before the
  // first product. Empty if B is not packed.
  StatusOr<BoundPrimitive> BindPacking(const PlanMemory& memory, const float* b) const {
    if (packing_.empty()) return BoundPrimitive();
    return packing_.Bind({{Role::kSource, const_cast<float*>(b)},
                          {Role::kDestination, memory.Untyped(packed_)},
                          {Role::kScratchpad, memory.Buffer(packing_scratch_)}});
  }
  Status Bind(const PlanMemory& memory, const void* a, const void* b, float* c) {
    DL_ASSIGN_OR_RETURN(bound_, BindTo(memory, a, b, c));
    return absl::OkStatus();
  }
  Status Run() const { return bound_.Run(); }  // REQUIRES: Bind was called

 private:
  Primitive primitive_, packing_;
  int64_t a_values_ = 0, b_values_ = 0;
  BufferId scratch_ = kNoBuffer, a_copy_ = kNoBuffer, b_copy_ = kNoBuffer;
  BufferId packed_ = kNoBuffer, packing_scratch_ = kNoBuffer;
  BoundProduct bound_;
};

}  // namespace dl::nn
