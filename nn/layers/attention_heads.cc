#include "nn/layers/attention_heads.h"

#include <cmath>

#include "base/philox.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/layers/dropout.h"
#include "nn/kernels/activations.h"

namespace dl::nn {

using Storage = MatrixProductGeometry::Storage;

namespace {

void Split(const HeadsShape& shape, const float* rows, float* matrices) {
  ForRows(shape.Matrices(), shape.steps * shape.size, [&](int64_t begin, int64_t end) {
    SplitHeads(shape, {begin, end}, rows, matrices);
  });
}
void Merge(const HeadsShape& shape, const float* matrices, float* rows) {
  ForRows(shape.Matrices(), shape.steps * shape.size, [&](int64_t begin, int64_t end) {
    MergeHeads(shape, {begin, end}, matrices, rows);
  });
}

}  // namespace

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
  const uint32_t threshold = DropThreshold(shape_.dropout);
  ForElements(WeightCount(), [&](int64_t begin, int64_t end) {
    DropoutChoice(stream, threshold, {begin, end}, kept_);
  });
}

void AttentionHeads::Drop(float* weights) const {
  if (!drops_) return;
  const auto scale = static_cast<float>(1.0 / (1.0 - shape_.dropout));
  ForElements(WeightCount(), [&](int64_t begin, int64_t end) {
    MultiplyByKept(kept_ + begin, scale, weights + begin, end - begin);
  });
}

Status AttentionHeads::Forward(const Rows<const float>& x, float* y) {
  Split(In(x.queries, shape_.query_steps), x.queries.rows, q_);
  Split(In(x.keys, shape_.key_steps), x.keys.rows, k_);
  Split(In(x.values, shape_.key_steps), x.values.rows, v_);
  DL_RETURN_IF_ERROR(scores_product_.Run());
  ForRows(scores_.matrices, scores_.rows * scores_.columns, [&](int64_t begin, int64_t end) {
    AttentionWeights(scores_, {begin, end}, p_);
  });
  if (drops_) CopyFloats(p_, WeightCount(), answering_);
  Drop(answering_);
  DL_RETURN_IF_ERROR(answer_product_.Run());
  Merge(Answers(), o_, y);
  return absl::OkStatus();
}

Status AttentionHeads::Backward(const float* dy, const Rows<float>& dx) {
  Split(Answers(), dy, do_);
  DL_RETURN_IF_ERROR(d_value_product_.Run());
  DL_RETURN_IF_ERROR(d_weights_product_.Run());
  Drop(dp_);
  ForRows(scores_.matrices, scores_.rows * scores_.columns, [&](int64_t begin, int64_t end) {
    AttentionWeightsGradient(scores_, {begin, end}, p_, dp_);
  });
  DL_RETURN_IF_ERROR(d_query_product_.Run());
  DL_RETURN_IF_ERROR(d_key_product_.Run());
  Merge(In(dx.queries, shape_.query_steps), dq_, dx.queries.rows);
  Merge(In(dx.keys, shape_.key_steps), dk_, dx.keys.rows);
  Merge(In(dx.values, shape_.key_steps), dv_, dx.values.rows);
  return absl::OkStatus();
}

}  // namespace dl::nn
