#include "nn/layers/own_copy.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"

namespace dl::nn {

Tensor OwnCopy::Plan(PlanBuilder& builder, const Tensor& from) {
  builder.arena().Use(from.buffer);
  if (from.keep == Tensor::Keep::kFree) return from;
  bytes_ = from.layout.bytes();
  from_ = from.buffer;
  to_ = builder.arena().Add(from.layout);
  return {.layout = from.layout, .buffer = to_};
}

void OwnCopy::Bind(const PlanMemory& memory) {
  source_ = static_cast<const std::byte*>(memory.Untyped(from_));
  copy_ = static_cast<std::byte*>(memory.Untyped(to_));
}

void OwnCopy::Run() const {
  if (copy_ == nullptr) return;
  ForElements(bytes_, [&](int64_t begin, int64_t end) { RunPart(begin, end); });
}

void OwnCopy::RunPart(int64_t begin, int64_t end) const {
  if (copy_ != nullptr) std::copy(source_ + begin, source_ + end, copy_ + begin);
}

namespace {

class OwnCopyLayer : public UnaryLayer {
  Bf16Support SupportOfBf16() const override { return Bf16Support::kKeeps; }
  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    return copy_.Plan(builder, input);
  }
  StatusOr<Tensor> PlanGradient(PlanBuilder&, const Tensor& gradient, InputGradient) override {
    return gradient;
  }
  Status Bind(const PlanMemory& memory) override {
    copy_.Bind(memory);
    return absl::OkStatus();
  }
  Status Forward(const Pass&) override {
    copy_.Run();
    return absl::OkStatus();
  }
  Status Backward(const Pass&) override { return absl::OkStatus(); }

  OwnCopy copy_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileOwnCopy() { return std::make_unique<OwnCopyLayer>(); }

}  // namespace dl::nn
