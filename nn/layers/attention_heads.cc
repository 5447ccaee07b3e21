#include "nn/layers/attention_heads.h"

#include <algorithm>
#include <cmath>

#include "base/philox.h"
#include "nn/conf/layers/dropout.h"
#include "nn/kernels/activations.h"

namespace dl::nn {

using Storage = MatrixProductGeometry::Storage;

MatrixProductGeometry AttentionHeads::Scores() const {
  return {.batch = scores_.matrices,
          .rows = shape_.query_steps,
          .inner = size_,
          .columns = shape_.key_steps,
          .b = Storage::kTransposed};
}
MatrixProductGeometry AttentionHeads::ByQueries() const {
  return {.batch = scores_.matrices,
          .rows = shape_.query_steps,
          .inner = shape_.key_steps,
          .columns = size_};
}
MatrixProductGeometry AttentionHeads::ByKeys() const {
  return {.batch = scores_.matrices,
          .rows = shape_.key_steps,
          .inner = shape_.query_steps,
          .columns = size_,
          .a = Storage::kTransposed};
}

Status AttentionHeads::Plan(PlanBuilder& builder, int64_t examples) {
  examples_ = examples;
  const int64_t asks = shape_.query_steps, answers = shape_.key_steps;
  scores_ = {.matrices = examples * shape_.heads,
             .rows = asks,
             .columns = answers,
             .causal = shape_.causal,
             .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(size_))),
             .heads = shape_.heads};
  ArenaPlan& arena = builder.arena();
  query_ = arena.Add(Floats(asks, size_));
  key_ = arena.Add(Floats(answers, size_));
  value_ = arena.Add(Floats(answers, size_));
  answer_ = arena.Add(Floats(asks, size_));
  weights_ = arena.Add(Floats(asks, answers));
  drops_ = shape_.dropout > 0 && builder.purpose() == Purpose::kTraining;
  if (drops_) {
    dropped_ = arena.Add(Floats(asks, answers));
    mask_ = arena.Add<uint8_t>(Floats(asks, answers));
  }
  DL_RETURN_IF_ERROR(scores_product_.Plan(builder, Scores()));
  return answer_product_.Plan(builder, ByQueries());
}

Status AttentionHeads::PlanGradient(PlanBuilder& builder) {
  const int64_t asks = shape_.query_steps, answers = shape_.key_steps;
  ArenaPlan& arena = builder.arena();
  for (const BufferId id : {query_, key_, value_, weights_}) arena.Use(id);
  if (drops_) {
    arena.Use(dropped_);
    arena.Use(mask_);
  }
  d_query_ = arena.Add(Floats(asks, size_));
  d_key_ = arena.Add(Floats(answers, size_));
  d_value_ = arena.Add(Floats(answers, size_));
  d_answer_ = arena.Add(Floats(asks, size_));
  d_weights_ = arena.Add(Floats(asks, answers));
  DL_RETURN_IF_ERROR(d_value_product_.Plan(builder, ByKeys()));
  DL_RETURN_IF_ERROR(d_weights_product_.Plan(builder, Scores()));
  DL_RETURN_IF_ERROR(d_query_product_.Plan(builder, ByQueries()));
  return d_key_product_.Plan(builder, ByKeys());
}

Status AttentionHeads::Bind(const PlanMemory& memory, bool has_gradient) {
  scores_.lengths = shape_.variable_length ? memory.Lengths() : nullptr;
  q_ = memory.Buffer(query_);
  k_ = memory.Buffer(key_);
  v_ = memory.Buffer(value_);
  p_ = memory.Buffer(weights_);
  o_ = memory.Buffer(answer_);
  answering_ = drops_ ? memory.Buffer(dropped_) : p_;
  kept_ = drops_ ? memory.Buffer<uint8_t>(mask_) : nullptr;
  DL_RETURN_IF_ERROR(scores_product_.Bind(memory, q_, k_, p_));
  DL_RETURN_IF_ERROR(answer_product_.Bind(memory, answering_, v_, o_));
  if (!has_gradient) return absl::OkStatus();
  dq_ = memory.Buffer(d_query_);
  dk_ = memory.Buffer(d_key_);
  dv_ = memory.Buffer(d_value_);
  dp_ = memory.Buffer(d_weights_);
  do_ = memory.Buffer(d_answer_);
  DL_RETURN_IF_ERROR(d_value_product_.Bind(memory, answering_, do_, dv_));
  DL_RETURN_IF_ERROR(d_weights_product_.Bind(memory, do_, v_, dp_));
  DL_RETURN_IF_ERROR(d_query_product_.Bind(memory, dp_, k_, dq_));
  return d_key_product_.Bind(memory, dp_, q_, dk_);
}

void AttentionHeads::Draw(const Pass& pass) {
  if (!drops_) return;
  const RandomStream stream(pass.KeyFor(RandomPurpose::kAttentionDropout, shape_.layer_index));
  DropoutChoice(stream, DropThreshold(shape_.dropout), kept_, WeightCount());
}

void AttentionHeads::Drop(float* weights) const {
  if (!drops_) return;
  MultiplyByKept(kept_, static_cast<float>(1.0 / (1.0 - shape_.dropout)), weights, WeightCount());
}

Status AttentionHeads::Forward(const Rows<const float>& x, float* y) {
  SplitHeads(In(x.queries, shape_.query_steps), x.queries.rows, q_);
  SplitHeads(In(x.keys, shape_.key_steps), x.keys.rows, k_);
  SplitHeads(In(x.values, shape_.key_steps), x.values.rows, v_);
  DL_RETURN_IF_ERROR(scores_product_.Run());
  AttentionWeights(scores_, p_);
  if (drops_) std::copy_n(p_, WeightCount(), answering_);
  Drop(answering_);
  DL_RETURN_IF_ERROR(answer_product_.Run());
  MergeHeads(Answers(), o_, y);
  return absl::OkStatus();
}

Status AttentionHeads::Backward(const float* dy, const Rows<float>& dx) {
  SplitHeads(Answers(), dy, do_);
  DL_RETURN_IF_ERROR(d_value_product_.Run());
  DL_RETURN_IF_ERROR(d_weights_product_.Run());
  Drop(dp_);
  AttentionWeightsGradient(scores_, p_, dp_);
  DL_RETURN_IF_ERROR(d_query_product_.Run());
  DL_RETURN_IF_ERROR(d_key_product_.Run());
  MergeHeads(In(dx.queries, shape_.query_steps), dq_, dx.queries.rows);
  MergeHeads(In(dx.keys, shape_.key_steps), dk_, dx.keys.rows);
  MergeHeads(In(dx.values, shape_.key_steps), dv_, dx.values.rows);
  return absl::OkStatus();
}

}  // namespace dl::nn
