#include "nn/layers/layer_norm.h"

#include "nn/kernels/row_norm.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class LayerNormLayer : public UnaryLayer {
 public:
  explicit LayerNormLayer(const LayerConfig& layer)
      : name_(layer.name),
        conf_(std::get<LayerNorm>(layer.conf)),
        features_(layer.input.channels) {}

  bool HasParameters() const override { return true; }

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    rows_ = input.layout.dims()[0];
    DL_ASSIGN_OR_RETURN(input_, to_plain_.Plan(builder, input, Layout::Plain(input.layout.dims())));
    const Layout vector = Layout::Plain(std::vector<int64_t>{features_});
    for (const auto& [name, id] : {std::pair{"gamma", &gamma_}, {"beta", &beta_}}) {
      DL_ASSIGN_OR_RETURN(*id, builder.Parameter(name_, name));
      DL_RETURN_IF_ERROR(builder.SetParameterLayout(*id, vector, vector));
    }
    mean_ = builder.arena().Add(rows_);
    deviation_ = builder.arena().Add(rows_);
    output_ = {.layout = input_.layout,
               .buffer = builder.arena().Add(input_.layout.storage_floats())};
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    for (const BufferId id : {input_.buffer, mean_, deviation_}) builder.arena().Use(id);
    DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
    constexpr int64_t kFloatsOfDouble = sizeof(double) / sizeof(float);
    sums_ = builder.arena().Add(2 * features_ * kFloatsOfDouble);
    diff_input_ = {.layout = output_.layout,
                   .buffer = builder.arena().Add(output_.layout.storage_floats())};
    return diff_input_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
    norm_ = {
        .rows = rows_, .n = features_, .epsilon = conf_.epsilon, .gamma = memory.Parameter(gamma_)};
    x_ = memory.Buffer(input_.buffer);
    y_ = memory.Buffer(output_.buffer);
    mean_values_ = memory.Buffer(mean_);
    deviation_values_ = memory.Buffer(deviation_);
    beta_values_ = memory.Parameter(beta_);
    d_gamma_ = memory.Gradient(gamma_);
    d_beta_ = memory.Gradient(beta_);
    dy_ = memory.Buffer(gradient_.buffer);
    dx_ = memory.Buffer(diff_input_.buffer);
    sums_values_ = reinterpret_cast<double*>(memory.Buffer(sums_));  // aligned to 64 bytes
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_.Run());
    RowNormForward(norm_, x_, beta_values_, y_, mean_values_, deviation_values_);
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    RowNormBackward(norm_, x_, mean_values_, deviation_values_, dy_, dx_, d_gamma_, d_beta_,
                    sums_values_);
    return absl::OkStatus();
  }

 private:
  std::string name_;
  LayerNorm conf_;
  int64_t features_, rows_ = 0;
  RowNorm norm_;
  Conversion to_plain_, to_plain_gradient_;
  Tensor input_, output_, gradient_, diff_input_;
  ParameterId gamma_ = -1, beta_ = -1;
  BufferId mean_ = kNoBuffer, deviation_ = kNoBuffer, sums_ = kNoBuffer;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  float* mean_values_ = nullptr;
  float* deviation_values_ = nullptr;
  const float* beta_values_ = nullptr;
  float* d_gamma_ = nullptr;
  float* d_beta_ = nullptr;
  const float* dy_ = nullptr;
  float* dx_ = nullptr;
  double* sums_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileLayerNorm(const LayerConfig& layer) {
  return std::make_unique<LayerNormLayer>(layer);
}

}  // namespace dl::nn
