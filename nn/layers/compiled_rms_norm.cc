#include "nn/layers/compiled_rms_norm.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/row_norm.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class RmsNormLayer : public PlainRowsLayer {
 public:
  explicit RmsNormLayer(const LayerConfig& layer)
      : name_(layer.name), conf_(std::get<RmsNorm>(layer.conf)), features_(layer.input.channels) {}

  bool HasParameters() const override { return true; }

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    rows_ = input[0];
    const Layout vector = Layout::Plain(std::vector<int64_t>{features_});
    DL_ASSIGN_OR_RETURN(gamma_, builder.Parameter(name_, "gamma"));
    DL_RETURN_IF_ERROR(builder.SetParameterLayout(gamma_, vector, vector));
    scale_ = builder.arena().Add(rows_);
    return input;
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    builder.arena().Use(scale_);
    sums_ = builder.arena().Add<double>(features_);
    return absl::OkStatus();
  }

  Status BindRows(const PlanMemory& memory) override {
    norm_ = {
        .rows = rows_, .n = features_, .epsilon = conf_.epsilon, .gamma = memory.Parameter(gamma_)};
    scale_values_ = memory.Buffer(scale_);
    d_gamma_ = memory.Gradient(gamma_);
    sums_values_ = memory.Buffer<double>(sums_);
    return absl::OkStatus();
  }

  Status ForwardRows() override {
    ForRows(rows_, features_, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * features_;
      RmsNormForward(norm_.Slice({begin, end}), x() + at, y() + at, scale_values_ + begin);
    });
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    ForColumns(features_, rows_, [&](int64_t begin, int64_t end) {
      RmsNormSums(norm_, {begin, end}, x(), scale_values_, dy(), d_gamma_, sums_values_);
    });
    if (dx() == nullptr) return absl::OkStatus();
    ForRows(rows_, features_, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * features_;
      RmsNormBackward(norm_.Slice({begin, end}), x() + at, scale_values_ + begin, dy() + at,
                      dx() + at);
    });
    return absl::OkStatus();
  }

 private:
  std::string name_;
  RmsNorm conf_;
  int64_t features_, rows_ = 0;
  RowNorm norm_;
  ParameterId gamma_ = -1;
  BufferId scale_ = kNoBuffer, sums_ = kNoBuffer;
  float* scale_values_ = nullptr;
  float* d_gamma_ = nullptr;
  double* sums_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileRmsNorm(const LayerConfig& layer) {
  return std::make_unique<RmsNormLayer>(layer);
}

}  // namespace dl::nn
