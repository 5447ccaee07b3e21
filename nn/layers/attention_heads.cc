#include "nn/layers/attention_heads.h"

#include <cmath>
#include <type_traits>

#include "base/philox.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/layers/dropout.h"
#include "nn/kernels/activations.h"

namespace dl::nn {

using Storage = MatrixProductGeometry::Storage;

namespace {

template <typename Value>
void Merge(const HeadsShape& shape, const float* matrices, Value* rows) {
  ForRows(shape.Matrices(), shape.steps * shape.size, [&](int64_t begin, int64_t end) {
    MergeHeads(shape, {begin, end}, matrices, rows);
  });
}

}  // namespace

ScoresShape ScoresOf(const AttentionHeads::Shape& shape, int64_t examples) {
  const auto size = static_cast<double>(shape.features / shape.heads);
  return {.matrices = examples * shape.heads,
          .rows = shape.query_steps,
          .columns = shape.key_steps,
          .causal = shape.causal,
          .scale = static_cast<float>(1.0 / std::sqrt(size)),
          .heads = shape.heads};
}

MatrixProductGeometry AttentionHeads::Scores() const {
  return {.batch = scores_.matrices,
          .rows = shape_.query_steps,
          .inner = size_,
          .columns = shape_.key_steps,
          .b = Storage::kTransposed,
          .factors = rounds_ ? DataType::kBf16 : DataType::kFloat32};
}
MatrixProductGeometry AttentionHeads::ByQueries() const {
  return {.batch = scores_.matrices,
          .rows = shape_.query_steps,
          .inner = shape_.key_steps,
          .columns = size_,
          .factors = rounds_ ? DataType::kBf16 : DataType::kFloat32};
}
MatrixProductGeometry AttentionHeads::ByKeys() const {
  return {.batch = scores_.matrices,
          .rows = shape_.key_steps,
          .inner = shape_.query_steps,
          .columns = size_,
          .a = Storage::kTransposed,
          .factors = rounds_ ? DataType::kBf16 : DataType::kFloat32};
}

template <typename Value>
void AttentionHeads::Split(const Columns<const Value>& columns, int64_t steps, void* factor) const {
  const HeadsShape shape = In(columns, steps);
  ForRows(shape.Matrices(), steps * size_, [&](int64_t begin, int64_t end) {
    if (rounds_) {
      SplitHeads(shape, {begin, end}, columns.rows, static_cast<uint16_t*>(factor));
    } else if constexpr (std::is_same_v<Value, float>) {
      SplitHeads(shape, {begin, end}, columns.rows, static_cast<float*>(factor));
    }
  });
}

void AttentionHeads::RoundWeights(IndexRange matrices, const float* weights, void* factor) const {
  if (!rounds_) return;
  const int64_t each = scores_.rows * scores_.columns;
  RoundToBf16(weights + matrices.begin * each,
              static_cast<uint16_t*>(factor) + matrices.begin * each, matrices.size() * each);
}

Status AttentionHeads::Plan(PlanBuilder& builder, int64_t examples) {
  examples_ = examples;
  const int64_t asks = shape_.query_steps, answers = shape_.key_steps;
  scores_ = ScoresOf(shape_, examples);
  rounds_ = builder.precision() == Precision::kBf16;
  ArenaPlan& arena = builder.arena();
  query_ = AddFactors(arena, Floats(asks, size_));
  key_ = AddFactors(arena, Floats(answers, size_));
  value_ = AddFactors(arena, Floats(answers, size_));
  answer_ = arena.Add(Floats(asks, size_));
  weights_ = arena.Add(Floats(asks, answers));
  drops_ = shape_.dropout > 0 && builder.purpose() == Purpose::kTraining;
  if (drops_) {
    dropped_ = arena.Add(Floats(asks, answers));
    mask_ = arena.Add<uint8_t>(Floats(asks, answers));
  }
  if (rounds_) rounded_ = arena.Add<uint16_t>(Floats(asks, answers));
  DL_RETURN_IF_ERROR(scores_product_.Plan(builder, Scores()));
  return answer_product_.Plan(builder, ByQueries());
}

Status AttentionHeads::PlanGradient(PlanBuilder& builder) {
  const int64_t asks = shape_.query_steps, answers = shape_.key_steps;
  ArenaPlan& arena = builder.arena();
  for (const BufferId id : {query_, key_, value_, weights_}) arena.Use(id);
  if (drops_) arena.Use(mask_);
  if (rounds_) {
    arena.Use(rounded_);
    d_rounded_ = arena.Add<uint16_t>(Floats(asks, answers));
  } else if (drops_) {
    arena.Use(dropped_);
  }
  d_query_ = arena.Add(Floats(asks, size_));
  d_key_ = arena.Add(Floats(answers, size_));
  d_value_ = arena.Add(Floats(answers, size_));
  d_answer_ = AddFactors(arena, Floats(asks, size_));
  d_weights_ = arena.Add(Floats(asks, answers));
  DL_RETURN_IF_ERROR(d_value_product_.Plan(builder, ByKeys()));
  DL_RETURN_IF_ERROR(d_weights_product_.Plan(builder, Scores()));
  DL_RETURN_IF_ERROR(d_query_product_.Plan(builder, ByQueries()));
  return d_key_product_.Plan(builder, ByKeys());
}

Status AttentionHeads::Bind(const PlanMemory& memory, bool has_gradient) {
  scores_.lengths = shape_.variable_length ? memory.Lengths() : nullptr;
  q_ = memory.Untyped(query_);
  k_ = memory.Untyped(key_);
  v_ = memory.Untyped(value_);
  p_ = memory.Buffer(weights_);
  o_ = memory.Buffer(answer_);
  answering_ = drops_ ? memory.Buffer(dropped_) : p_;
  p_factor_ = rounds_ ? memory.Untyped(rounded_) : answering_;
  kept_ = drops_ ? memory.Buffer<uint8_t>(mask_) : nullptr;
  DL_RETURN_IF_ERROR(scores_product_.Bind(memory, q_, k_, p_));
  DL_RETURN_IF_ERROR(answer_product_.Bind(memory, p_factor_, v_, o_));
  if (!has_gradient) return absl::OkStatus();
  dq_ = memory.Buffer(d_query_);
  dk_ = memory.Buffer(d_key_);
  dv_ = memory.Buffer(d_value_);
  dp_ = memory.Buffer(d_weights_);
  dp_factor_ = rounds_ ? memory.Untyped(d_rounded_) : dp_;
  do_ = memory.Untyped(d_answer_);
  DL_RETURN_IF_ERROR(d_value_product_.Bind(memory, p_factor_, do_, dv_));
  DL_RETURN_IF_ERROR(d_weights_product_.Bind(memory, do_, v_, dp_));
  DL_RETURN_IF_ERROR(d_query_product_.Bind(memory, dp_factor_, k_, dq_));
  return d_key_product_.Bind(memory, dp_factor_, q_, dk_);
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

template <typename Value>
Status AttentionHeads::Forward(const Rows<const Value>& x, Value* y) {
  Split(x.queries, shape_.query_steps, q_);
  Split(x.keys, shape_.key_steps, k_);
  Split(x.values, shape_.key_steps, v_);
  DL_RETURN_IF_ERROR(scores_product_.Run());
  // Each matrix is rounded while it is in the cache.
  ForRows(scores_.matrices, scores_.rows * scores_.columns, [&](int64_t begin, int64_t end) {
    for (int64_t m = begin; m < end; ++m) {
      AttentionWeights(scores_, {m, m + 1}, p_);
      if (!drops_) RoundWeights({m, m + 1}, p_, p_factor_);
    }
  });
  if (drops_) {
    CopyFloats(p_, WeightCount(), answering_);
    Drop(answering_);
    ForRows(scores_.matrices, scores_.rows * scores_.columns, [&](int64_t begin, int64_t end) {
      RoundWeights({begin, end}, answering_, p_factor_);
    });
  }
  DL_RETURN_IF_ERROR(answer_product_.Run());
  Merge(Answers(), o_, y);
  return absl::OkStatus();
}

template <typename Value>
Status AttentionHeads::Backward(const Value* dy, const Rows<Value>& dx) {
  Split(Columns<const Value>{.rows = dy, .width = shape_.features}, shape_.query_steps, do_);
  DL_RETURN_IF_ERROR(d_value_product_.Run());
  DL_RETURN_IF_ERROR(d_weights_product_.Run());
  Drop(dp_);
  ForRows(scores_.matrices, scores_.rows * scores_.columns, [&](int64_t begin, int64_t end) {
    for (int64_t m = begin; m < end; ++m) {
      AttentionWeightsGradient(scores_, {m, m + 1}, p_, dp_);
      RoundWeights({m, m + 1}, dp_, dp_factor_);
    }
  });
  DL_RETURN_IF_ERROR(d_query_product_.Run());
  DL_RETURN_IF_ERROR(d_key_product_.Run());
  Merge(In(dx.queries, shape_.query_steps), dq_, dx.queries.rows);
  Merge(In(dx.keys, shape_.key_steps), dk_, dx.keys.rows);
  Merge(In(dx.values, shape_.key_steps), dv_, dx.values.rows);
  return absl::OkStatus();
}

template Status AttentionHeads::Forward(const Rows<const float>& x, float* y);
template Status AttentionHeads::Backward(const float* dy, const Rows<float>& dx);
template Status AttentionHeads::Forward(const Rows<const uint16_t>& x, uint16_t* y);
template Status AttentionHeads::Backward(const uint16_t* dy, const Rows<uint16_t>& dx);

}  // namespace dl::nn
