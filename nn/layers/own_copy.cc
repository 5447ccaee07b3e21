#include "nn/layers/own_copy.h"

#include "nn/backend/parallel_for.h"

namespace dl::nn {

Tensor OwnCopy::Plan(PlanBuilder& builder, const Tensor& from) {
  builder.arena().Use(from.buffer);
  if (from.keep == Tensor::Keep::kFree) return from;
  floats_ = from.layout.stored_elements();
  from_ = from.buffer;
  to_ = builder.arena().Add(floats_);
  return {.layout = from.layout, .buffer = to_};
}

void OwnCopy::Bind(const PlanMemory& memory) {
  source_ = memory.Buffer(from_);
  copy_ = memory.Buffer(to_);
}

void OwnCopy::Run() const {
  if (copy_ != nullptr) CopyFloats(source_, floats_, copy_);
}

namespace {

class OwnCopyLayer : public UnaryLayer {
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
