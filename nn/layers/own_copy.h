// Provides a tensor that may be overwritten: the tensor itself if no later step reads it, otherwise
// a copy.
#pragma once

#include <cstddef>
#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

class OwnCopy {
 public:
  // Returns a tensor with Keep::kFree. Marks the source as used at the current step.
  Tensor Plan(PlanBuilder& builder, const Tensor& from);
  // Takes the addresses of the buffers. Must be called after Plan, and again if addresses change.
  void Bind(const PlanMemory& memory);
  // Copies the source, unless Plan returned the source itself. REQUIRES: Bind was called.
  void Run() const;
  // Copies the bytes [begin, end) in the calling thread, so that a loop can copy what it computes
  // next. REQUIRES: as Run.
  void RunPart(int64_t begin, int64_t end) const;

 private:
  BufferId from_ = kNoBuffer, to_ = kNoBuffer;
  int64_t bytes_ = 0;
  const std::byte* source_ = nullptr;
  std::byte* copy_ = nullptr;
};

// Returns a layer whose output equals its input and may be overwritten. It copies the input only if
// a later step also reads it.
std::unique_ptr<CompiledLayer> CompileOwnCopy();

}  // namespace dl::nn
