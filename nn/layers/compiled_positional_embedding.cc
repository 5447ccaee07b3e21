#include "nn/layers/compiled_positional_embedding.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/sequence_kernels.h"
#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {
namespace {

class PositionalEmbeddingLayer : public UnaryLayer {
 public:
  explicit PositionalEmbeddingLayer(const LayerConfig& layer)
      : name_(layer.name), steps_(layer.input.Steps()), features_(layer.input.channels) {}

  bool HasParameters() const override { return true; }

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    const std::vector<int64_t> dims = input.layout.dims();
    shape_ = {.examples = dims[0] / steps_, .steps = steps_, .n = features_};
    DL_ASSIGN_OR_RETURN(weight_, builder.Parameter(name_, "weight"));
    const Layout table = Layout::Plain(std::vector<int64_t>{steps_, features_});
    DL_RETURN_IF_ERROR(builder.SetParameterLayout(weight_, table, table));
    DL_ASSIGN_OR_RETURN(const Tensor plain, to_plain_.Plan(builder, input, Layout::Plain(dims)));
    output_ = own_output_.Plan(builder, plain);
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
    return gradient_;  // it is also the gradient of the input
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
    own_output_.Bind(memory);
    y_ = memory.Buffer(output_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    rows_ = memory.Parameter(weight_);
    d_rows_ = memory.Gradient(weight_);
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_.Run());
    own_output_.Run();
    ForRows(shape_.examples, steps_ * features_, [&](int64_t begin, int64_t end) {
      AddToEachExample(shape_.Slice({begin, end}), rows_, y_ + begin * steps_ * features_);
    });
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    ForColumns(steps_ * features_, shape_.examples, [&](int64_t begin, int64_t end) {
      SumOverExamples(shape_, {begin, end}, dy_, d_rows_);
    });
    return absl::OkStatus();
  }

 private:
  std::string name_;
  int64_t steps_, features_;
  SequenceShape shape_;
  Conversion to_plain_, to_plain_gradient_;
  OwnCopy own_output_;
  Tensor output_, gradient_;
  ParameterId weight_ = -1;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
  const float* rows_ = nullptr;
  float* d_rows_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompilePositionalEmbedding(const LayerConfig& layer) {
  return std::make_unique<PositionalEmbeddingLayer>(layer);
}

}  // namespace dl::nn
