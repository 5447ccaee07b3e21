#include "nn/layers/attention.h"

#include <cmath>

#include "nn/backend/matrix_product.h"
#include "nn/kernels/attention.h"
#include "nn/layers/plain_rows_layer.h"
#include "nn/layers/planned_product.h"

namespace dl::nn {
namespace {

using Lies = MatrixProductGeometry::Lies;

class AttentionLayer : public PlainRowsLayer {
 public:
  explicit AttentionLayer(const AttentionShape& shape)
      : shape_(shape), size_(shape.features / shape.heads) {}

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& dims) override {
    const int64_t examples = dims[0] / shape_.steps;
    matrices_ = examples * shape_.heads;
    heads_ = {.examples = examples,
              .steps = shape_.steps,
              .heads = shape_.heads,
              .size = size_,
              .width = dims[1]};
    scores_ = {.matrices = matrices_,
               .steps = shape_.steps,
               .causal = shape_.causal,
               .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(size_))),
               .heads = shape_.heads};
    ArenaPlan& arena = builder.arena();
    for (BufferId* part : {&query_, &key_, &value_, &answer_}) *part = arena.Add(HeadFloats());
    weights_ = arena.Add(ScoreFloats());
    DL_RETURN_IF_ERROR(scores_product_.Plan(builder, Scores()));
    DL_RETURN_IF_ERROR(answer_product_.Plan(builder, Values(Lies::kPlain)));
    return std::vector<int64_t>{dims[0], shape_.features};
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    ArenaPlan& arena = builder.arena();
    for (const BufferId id : {query_, key_, value_, weights_}) arena.Use(id);
    for (BufferId* part : {&d_query_, &d_key_, &d_value_, &d_answer_})
      *part = arena.Add(HeadFloats());
    d_weights_ = arena.Add(ScoreFloats());
    DL_RETURN_IF_ERROR(d_value_product_.Plan(builder, Values(Lies::kTransposed)));
    DL_RETURN_IF_ERROR(d_weights_product_.Plan(builder, Scores()));
    DL_RETURN_IF_ERROR(d_query_product_.Plan(builder, Values(Lies::kPlain)));
    return d_key_product_.Plan(builder, Values(Lies::kTransposed));
  }

  Status BindRows(const PlanMemory& memory) override {
    scores_.lengths = shape_.variable_length ? memory.Lengths() : nullptr;
    q_ = memory.Buffer(query_);
    k_ = memory.Buffer(key_);
    v_ = memory.Buffer(value_);
    p_ = memory.Buffer(weights_);
    o_ = memory.Buffer(answer_);
    DL_RETURN_IF_ERROR(scores_product_.Bind(memory, q_, k_, p_));
    DL_RETURN_IF_ERROR(answer_product_.Bind(memory, p_, v_, o_));
    if (!has_gradient()) return absl::OkStatus();
    dq_ = memory.Buffer(d_query_);
    dk_ = memory.Buffer(d_key_);
    dv_ = memory.Buffer(d_value_);
    dp_ = memory.Buffer(d_weights_);
    do_ = memory.Buffer(d_answer_);
    DL_RETURN_IF_ERROR(d_value_product_.Bind(memory, p_, do_, dv_));
    DL_RETURN_IF_ERROR(d_weights_product_.Bind(memory, do_, v_, dp_));
    DL_RETURN_IF_ERROR(d_query_product_.Bind(memory, dp_, k_, dq_));
    return d_key_product_.Bind(memory, dp_, q_, dk_);
  }

  Status ForwardRows() override {
    SplitHeads(HeadsFrom(0), x(), q_);
    SplitHeads(HeadsFrom(1), x(), k_);
    SplitHeads(HeadsFrom(2), x(), v_);
    DL_RETURN_IF_ERROR(scores_product_.Run());
    AttentionWeights(scores_, p_);
    DL_RETURN_IF_ERROR(answer_product_.Run());
    MergeHeads(Answers(), o_, y());
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    SplitHeads(Answers(), dy(), do_);
    DL_RETURN_IF_ERROR(d_value_product_.Run());
    DL_RETURN_IF_ERROR(d_weights_product_.Run());
    AttentionWeightsGradient(scores_, p_, dp_);
    DL_RETURN_IF_ERROR(d_query_product_.Run());
    DL_RETURN_IF_ERROR(d_key_product_.Run());
    MergeHeads(HeadsFrom(0), dq_, dx());
    MergeHeads(HeadsFrom(1), dk_, dx());
    MergeHeads(HeadsFrom(2), dv_, dx());
    return absl::OkStatus();
  }

 private:
  int64_t HeadFloats() const { return matrices_ * shape_.steps * size_; }
  int64_t ScoreFloats() const { return matrices_ * shape_.steps * shape_.steps; }
  // [steps, size] x [size, steps], of each head.
  MatrixProductGeometry Scores() const {
    return {.batch = matrices_,
            .rows = shape_.steps,
            .inner = size_,
            .columns = shape_.steps,
            .b = Lies::kTransposed};
  }
  // [steps, steps] x [steps, size].
  MatrixProductGeometry Values(Lies a) const {
    return {
        .batch = matrices_, .rows = shape_.steps, .inner = shape_.steps, .columns = size_, .a = a};
  }
  // Queries, keys and values are thirds of the input's columns.
  HeadsShape HeadsFrom(int third) const {
    HeadsShape shape = heads_;
    shape.begin = third * shape_.features;
    return shape;
  }
  HeadsShape Answers() const {
    HeadsShape shape = heads_;
    shape.width = shape_.features;
    return shape;
  }

  AttentionShape shape_;
  int64_t size_, matrices_ = 0;
  HeadsShape heads_;
  ScoresShape scores_;
  BufferId query_ = kNoBuffer, key_ = kNoBuffer, value_ = kNoBuffer, answer_ = kNoBuffer,
           weights_ = kNoBuffer;
  BufferId d_query_ = kNoBuffer, d_key_ = kNoBuffer, d_value_ = kNoBuffer, d_answer_ = kNoBuffer,
           d_weights_ = kNoBuffer;
  PlannedProduct scores_product_, answer_product_;
  PlannedProduct d_value_product_, d_weights_product_, d_query_product_, d_key_product_;
  float *q_ = nullptr, *k_ = nullptr, *v_ = nullptr, *p_ = nullptr, *o_ = nullptr;
  float *dq_ = nullptr, *dk_ = nullptr, *dv_ = nullptr, *dp_ = nullptr, *do_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileAttention(const AttentionShape& shape) {
  return std::make_unique<AttentionLayer>(shape);
}

}  // namespace dl::nn
