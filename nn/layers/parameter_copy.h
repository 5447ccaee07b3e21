// Provides a parameter in the layout and type that a kernel requires: the parameter itself if they
// agree, otherwise a copy. If the type differs (bf16), the parameter store makes the copy, when the
// weights change. If only the layout differs, each step makes the copy. It lies in the arena, where
// it takes memory for a short time only.
#pragma once

#include "nn/layers/conversion.h"

namespace dl::nn {

class ParameterCopy {
 public:
  // `stored` is the layout of the parameter between steps. REQUIRES: not planned before.
  Status Plan(PlanBuilder& builder, ParameterId id, const Layout& stored, const Layout& wanted);

  // Takes the addresses. Must be called after Plan, and again if addresses change.
  Status Bind(const PlanMemory& memory);
  // Returns the values for the kernel. REQUIRES: Bind was called.
  void* Values() const { return values_; }
  // Makes the copy in the arena; does nothing if Values() is the parameter itself or a copy of the
  // store. Must be called in each step before the kernel reads Values(). REQUIRES: Bind was called.
  Status Run() const { return bound_.empty() ? absl::OkStatus() : bound_.Run(); }

 private:
  ParameterId id_ = -1;
  Layout wanted_;
  bool from_store_ = false;  // the parameter store makes the copy
  BufferId copy_ = kNoBuffer, scratch_ = kNoBuffer;
  Primitive reorder_;
  void* values_ = nullptr;
  BoundPrimitive bound_;
};

}  // namespace dl::nn
