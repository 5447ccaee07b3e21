// Provides a tensor in the layout that its reader requires: the tensor itself if the layouts agree,
// otherwise a copy in a buffer of the arena.
#pragma once

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

class Conversion {
 public:
  // Returns the converted tensor. Marks the source as used at the current step.
  StatusOr<Tensor> Plan(PlanBuilder& builder, const Tensor& from, const Layout& wanted);
  // Takes the addresses of the buffers. Must be called after Plan, and again if addresses change.
  Status Bind(const PlanMemory& memory);
  // Copies the source to the converted tensor, unless the layouts agree. REQUIRES: Bind was called.
  Status Run() const { return bound_.empty() ? absl::OkStatus() : bound_.Run(); }

 private:
  BufferId from_ = kNoBuffer;
  BufferId to_ = kNoBuffer;
  BufferId scratch_ = kNoBuffer;
  Primitive primitive_;
  BoundPrimitive bound_;
};

// Adds a buffer for the primitive's storage in this role. Returns kNoBuffer if it needs none.
BufferId AddBuffer(PlanBuilder& builder, const Primitive& primitive, Role role);

}  // namespace dl::nn
