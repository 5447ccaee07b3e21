#include "nn/layers/compiled_layer_norm.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/row_norm.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class LayerNormLayer : public PlainRowsLayer {
 public:
  explicit LayerNormLayer(const LayerConfig& layer)
      : name_(layer.name),
        conf_(std::get<LayerNorm>(layer.conf)),
        features_(layer.input.channels) {}

  bool HasParameters() const override { return true; }

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    rows_ = input[0];
    const Layout vector = Layout::Plain(std::vector<int64_t>{features_});
    for (const auto& [name, id] : {std::pair{"gamma", &gamma_}, {"beta", &beta_}}) {
      DL_ASSIGN_OR_RETURN(*id, builder.Parameter(name_, name));
      DL_RETURN_IF_ERROR(builder.SetParameterLayout(*id, vector, vector));
    }
    mean_ = builder.arena().Add(rows_);
    deviation_ = builder.arena().Add(rows_);
    return input;
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    for (const BufferId id : {mean_, deviation_}) builder.arena().Use(id);
    sums_ = builder.arena().Add<double>(2 * features_);
    return absl::OkStatus();
  }

  Status BindRows(const PlanMemory& memory) override {
    norm_ = {
        .rows = rows_, .n = features_, .epsilon = conf_.epsilon, .gamma = memory.Parameter(gamma_)};
    mean_values_ = memory.Buffer(mean_);
    deviation_values_ = memory.Buffer(deviation_);
    beta_values_ = memory.Parameter(beta_);
    d_gamma_ = memory.Gradient(gamma_);
    d_beta_ = memory.Gradient(beta_);
    sums_values_ = memory.Buffer<double>(sums_);
    return absl::OkStatus();
  }

  Status ForwardRows() override {
    ForRows(rows_, features_, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * features_;
      RowNormForward(norm_.Slice({begin, end}), x() + at, beta_values_, y() + at,
                     mean_values_ + begin, deviation_values_ + begin);
    });
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    ForColumns(features_, rows_, [&](int64_t begin, int64_t end) {
      RowNormSums(norm_, {begin, end}, {x(), mean_values_, deviation_values_}, dy(), d_gamma_,
                  d_beta_, sums_values_);
    });
    if (dx() == nullptr) return absl::OkStatus();
    ForRows(rows_, features_, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * features_;
      RowNormBackward(norm_.Slice({begin, end}), x() + at, mean_values_ + begin,
                      deviation_values_ + begin, dy() + at, dx() + at);
    });
    return absl::OkStatus();
  }

 private:
  std::string name_;
  LayerNorm conf_;
  int64_t features_, rows_ = 0;
  RowNorm norm_;
  ParameterId gamma_ = -1, beta_ = -1;
  BufferId mean_ = kNoBuffer, deviation_ = kNoBuffer, sums_ = kNoBuffer;
  float* mean_values_ = nullptr;
  float* deviation_values_ = nullptr;
  const float* beta_values_ = nullptr;
  float* d_gamma_ = nullptr;
  float* d_beta_ = nullptr;
  double* sums_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileLayerNorm(const LayerConfig& layer) {
  return std::make_unique<LayerNormLayer>(layer);
}

}  // namespace dl::nn
