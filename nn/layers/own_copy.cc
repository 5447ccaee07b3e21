#include "nn/layers/own_copy.h"

#include <algorithm>

namespace dl::nn {

Tensor OwnCopy::Plan(PlanBuilder& builder, const Tensor& from) {
  builder.arena().Use(from.buffer);
  if (from.keep == Tensor::Keep::kFree) return from;
  floats_ = from.layout.storage_floats();
  from_ = from.buffer;
  to_ = builder.arena().Add(floats_);
  return {.layout = from.layout, .buffer = to_};
}

void OwnCopy::Bind(const PlanMemory& memory) {
  source_ = memory.Buffer(from_);
  copy_ = memory.Buffer(to_);
}

void OwnCopy::Run() const {
  if (copy_ != nullptr) std::copy(source_, source_ + floats_, copy_);
}

}  // namespace dl::nn
