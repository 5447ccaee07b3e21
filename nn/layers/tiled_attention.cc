#include "nn/layers/tiled_attention.h"

#include "nn/backend/amx_kernels.h"

namespace dl::nn {

bool TiledAttention::CanCompute(const PlanBuilder& builder, const AttentionHeads::Shape& shape) {
  const bool drops = shape.dropout > 0 && builder.purpose() == Purpose::kTraining;
  return builder.precision() == Precision::kBf16 && !drops && MayUseAmxKernels() &&
         shape.query_steps == shape.key_steps &&
         AmxAttention::Supports(shape.query_steps, shape.features / shape.heads);
}

void TiledAttention::Plan(PlanBuilder& builder, const AttentionHeads::Shape& shape,
                          int64_t examples) {
  const ScoresShape scores = ScoresOf(shape, examples);
  variable_length_ = shape.variable_length;
  attention_.emplace(scores, shape.features / shape.heads);
  weights_ = builder.arena().Add(scores.matrices * scores.rows * scores.columns);
  forward_scratch_ = builder.arena().Add(attention_->scratch_floats());
}

void TiledAttention::PlanGradient(PlanBuilder& builder) {
  builder.arena().Use(weights_);
  backward_scratch_ = builder.arena().Add(attention_->scratch_floats());
}

void TiledAttention::Bind(const PlanMemory& memory) {
  if (variable_length_) attention_->SetLengths(memory.Lengths());
  p_ = memory.Buffer(weights_);
  forward_ = memory.Buffer(forward_scratch_);
  backward_ = memory.Buffer(backward_scratch_);
}

void TiledAttention::Forward(const uint16_t* x, uint16_t* y) const {
  attention_->Forward(x, forward_, p_, y);
}

void TiledAttention::Backward(const uint16_t* x, const uint16_t* dy, uint16_t* dx) const {
  attention_->Backward(x, p_, dy, backward_, dx);
}

}  // namespace dl::nn
