// A tensor in the layout that its reader wants: the tensor itself when it agrees, else a copy in an
// arena buffer.
#pragma once

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

class Conversion {
 public:
  // Marks the source as used now.
  StatusOr<Tensor> Plan(PlanBuilder& builder, const Tensor& from, const Layout& wanted);
  Status Bind(const PlanMemory& memory);
  Status Run() const { return bound_.empty() ? absl::OkStatus() : bound_.Run(); }

 private:
  BufferId from_ = kNoBuffer;
  BufferId to_ = kNoBuffer;
  BufferId scratch_ = kNoBuffer;
  Primitive primitive_;
  BoundPrimitive bound_;
};

// A buffer for what the primitive has in this role; kNoBuffer when it has nothing.
BufferId AddBuffer(PlanBuilder& builder, const Primitive& primitive, Role role);

}  // namespace dl::nn
