#include "nn/layers/attention.h"

#include <cmath>

#include "nn/backend/matrix_product.h"
#include "nn/kernels/attention.h"
#include "nn/layers/conversion.h"
#include "nn/layers/planned_product.h"

namespace dl::nn {
namespace {

using Lies = MatrixProductGeometry::Lies;

class AttentionLayer : public UnaryLayer {
 public:
  explicit AttentionLayer(const AttentionShape& shape)
      : shape_(shape), size_(shape.features / shape.heads) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    const std::vector<int64_t> dims = input.layout.dims();
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
               .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(size_)))};
    DL_ASSIGN_OR_RETURN(input_, to_plain_.Plan(builder, input, Layout::Plain(dims)));
    ArenaPlan& arena = builder.arena();
    for (BufferId* part : {&query_, &key_, &value_, &answer_}) *part = arena.Add(HeadFloats());
    weights_ = arena.Add(ScoreFloats());
    DL_RETURN_IF_ERROR(scores_product_.Plan(builder, Scores()));
    DL_RETURN_IF_ERROR(answer_product_.Plan(builder, Values(Lies::kPlain)));
    output_.layout = Layout::Plain(std::vector<int64_t>{dims[0], shape_.features});
    output_.buffer = arena.Add(output_.layout.storage_floats());
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    ArenaPlan& arena = builder.arena();
    for (const BufferId id : {query_, key_, value_, weights_}) arena.Use(id);
    DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
    for (BufferId* part : {&d_query_, &d_key_, &d_value_, &d_answer_})
      *part = arena.Add(HeadFloats());
    d_weights_ = arena.Add(ScoreFloats());
    DL_RETURN_IF_ERROR(d_value_product_.Plan(builder, Values(Lies::kTransposed)));
    DL_RETURN_IF_ERROR(d_weights_product_.Plan(builder, Scores()));
    DL_RETURN_IF_ERROR(d_query_product_.Plan(builder, Values(Lies::kPlain)));
    DL_RETURN_IF_ERROR(d_key_product_.Plan(builder, Values(Lies::kTransposed)));
    diff_input_ = {.layout = input_.layout, .buffer = arena.Add(input_.layout.storage_floats())};
    return diff_input_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
    x_ = memory.Buffer(input_.buffer);
    y_ = memory.Buffer(output_.buffer);
    q_ = memory.Buffer(query_);
    k_ = memory.Buffer(key_);
    v_ = memory.Buffer(value_);
    p_ = memory.Buffer(weights_);
    o_ = memory.Buffer(answer_);
    DL_RETURN_IF_ERROR(scores_product_.Bind(memory, q_, k_, p_));
    DL_RETURN_IF_ERROR(answer_product_.Bind(memory, p_, v_, o_));
    if (gradient_.empty()) return absl::OkStatus();
    dx_ = memory.Buffer(diff_input_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
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

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_.Run());
    SplitHeads(HeadsFrom(0), x_, q_);
    SplitHeads(HeadsFrom(1), x_, k_);
    SplitHeads(HeadsFrom(2), x_, v_);
    DL_RETURN_IF_ERROR(scores_product_.Run());
    AttentionWeights(scores_, p_);
    DL_RETURN_IF_ERROR(answer_product_.Run());
    MergeHeads(Answers(), o_, y_);
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    SplitHeads(Answers(), dy_, do_);
    DL_RETURN_IF_ERROR(d_value_product_.Run());
    DL_RETURN_IF_ERROR(d_weights_product_.Run());
    AttentionWeightsGradient(scores_, p_, dp_);
    DL_RETURN_IF_ERROR(d_query_product_.Run());
    DL_RETURN_IF_ERROR(d_key_product_.Run());
    MergeHeads(HeadsFrom(0), dq_, dx_);
    MergeHeads(HeadsFrom(1), dk_, dx_);
    MergeHeads(HeadsFrom(2), dv_, dx_);
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
  Conversion to_plain_, to_plain_gradient_;
  Tensor input_, output_, gradient_, diff_input_;
  BufferId query_ = kNoBuffer, key_ = kNoBuffer, value_ = kNoBuffer, answer_ = kNoBuffer,
           weights_ = kNoBuffer;
  BufferId d_query_ = kNoBuffer, d_key_ = kNoBuffer, d_value_ = kNoBuffer, d_answer_ = kNoBuffer,
           d_weights_ = kNoBuffer;
  PlannedProduct scores_product_, answer_product_;
  PlannedProduct d_value_product_, d_weights_product_, d_query_product_, d_key_product_;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  float *q_ = nullptr, *k_ = nullptr, *v_ = nullptr, *p_ = nullptr, *o_ = nullptr;
  float* dx_ = nullptr;
  const float* dy_ = nullptr;
  float *dq_ = nullptr, *dk_ = nullptr, *dv_ = nullptr, *dp_ = nullptr, *do_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileAttention(const AttentionShape& shape) {
  return std::make_unique<AttentionLayer>(shape);
}

}  // namespace dl::nn
