#include "nn/layers/embedding.h"

#include "absl/strings/str_cat.h"
#include "nn/kernels/sequences.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class EmbeddingLayer : public UnaryLayer {
 public:
  explicit EmbeddingLayer(const LayerConfig& layer)
      : name_(layer.name), conf_(std::get<Embedding>(layer.conf)) {}

  bool HasParameters() const override { return true; }

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    const int64_t rows = input.layout.dims()[0];
    shape_ = {.rows = rows, .indices = conf_.indices, .n = conf_.units};
    DL_ASSIGN_OR_RETURN(indices_,
                        to_plain_.Plan(builder, input, Layout::Plain(input.layout.dims())));
    DL_ASSIGN_OR_RETURN(weight_, builder.Parameter(name_, "weight"));
    const Layout table = Layout::Plain(std::vector<int64_t>{conf_.indices, conf_.units});
    DL_RETURN_IF_ERROR(builder.SetParameterLayout(weight_, table, table));
    output_.layout = Layout::Plain(std::vector<int64_t>{rows, conf_.units});
    output_.buffer = builder.arena().Add(output_.layout.storage_floats());
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    builder.arena().Use(indices_.buffer);
    DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
    return Tensor{};  // its input are the model's data
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
    x_ = memory.Buffer(indices_.buffer);
    y_ = memory.Buffer(output_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    table_ = memory.Parameter(weight_);
    d_table_ = memory.Gradient(weight_);
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_.Run());
    const int64_t wrong = TakeRows(shape_, x_, table_, y_);
    if (wrong < 0) return absl::OkStatus();
    return InvalidArgument(
        {.message = absl::StrCat("the value ", x_[wrong],
                                 " is no index, expected a whole number "
                                 "from 0 to ",
                                 conf_.indices - 1),
         .where = absl::StrCat("layer ", name_, ", row ", wrong, " of the minibatch"),
         .remedy = "Give the layer as many indices as the data has, and use no normalizer."});
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    TakeRowsGradient(shape_, x_, dy_, d_table_);
    return absl::OkStatus();
  }

 private:
  std::string name_;
  Embedding conf_;
  TableShape shape_;
  Conversion to_plain_, to_plain_gradient_;
  Tensor indices_, output_, gradient_;
  ParameterId weight_ = -1;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
  const float* table_ = nullptr;
  float* d_table_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileEmbedding(const LayerConfig& layer) {
  return std::make_unique<EmbeddingLayer>(layer);
}

}  // namespace dl::nn
