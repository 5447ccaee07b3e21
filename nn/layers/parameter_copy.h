// Provides a parameter in the layout and type that a kernel requires: the parameter itself if they
// agree, otherwise a copy in a buffer of the arena that each step makes anew.
#pragma once

#include "nn/layers/conversion.h"

namespace dl::nn {

class ParameterCopy {
 public:
  // `stored` is the layout of the parameter between steps. REQUIRES: not planned before.
  Status Plan(PlanBuilder& builder, ParameterId id, const Layout& stored, const Layout& wanted);
  // Provides what `other` provides, so that two kernels use one copy. Only `other` makes it.
  // REQUIRES: `other` is planned and copies at an earlier step than this one is used.
  void Share(PlanBuilder& builder, const ParameterCopy& other);
  // Whether the kernel reads a copy with this layout.
  bool Copies(const Layout& wanted) const { return copy_ != kNoBuffer && wanted_ == wanted; }

  // Takes the addresses. Must be called after Plan or Share, and again if addresses change.
  Status Bind(const PlanMemory& memory);
  // Returns the values for the kernel. REQUIRES: `memory` is that of Bind.
  void* Values(const PlanMemory& memory) const {
    return copy_ == kNoBuffer ? memory.Parameter(id_) : memory.Untyped(copy_);
  }
  // Makes the copy, if there is one. REQUIRES: Bind was called.
  Status Run() const { return bound_.empty() ? absl::OkStatus() : bound_.Run(); }

 private:
  ParameterId id_ = -1;
  Layout wanted_;
  BufferId copy_ = kNoBuffer, scratch_ = kNoBuffer;
  Primitive reorder_;
  BoundPrimitive bound_;
};

}  // namespace dl::nn
