#include "nn/layers/compiled_prelu.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/prelu_kernels.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

// Images are converted to the plain layout, which costs a copy after a convolution. Supporting
// slopes per channel in other layouts would need a kernel for each layout.
class PReluLayer : public PlainRowsLayer {
 public:
  explicit PReluLayer(const LayerConfig& layer)
      : name_(layer.name), conf_(std::get<PRelu>(layer.conf)) {}

  bool HasParameters() const override { return true; }

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    shape_ = {.rows = input[0], .channels = input[1], .shared = conf_.shared};
    for (size_t i = 2; i < input.size(); ++i) shape_.inner *= input[i];
    const Layout slopes = Layout::Plain(std::vector<int64_t>{conf_.shared ? 1 : input[1]});
    DL_ASSIGN_OR_RETURN(slope_, builder.Parameter(name_, "slope"));
    DL_RETURN_IF_ERROR(builder.SetParameterLayout(slope_, slopes, slopes));
    return input;
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    sums_ = builder.arena().Add<double>(shape_.channels);
    return absl::OkStatus();
  }

  Status BindRows(const PlanMemory& memory) override {
    slope_values_ = memory.Parameter(slope_);
    d_slope_ = memory.Gradient(slope_);
    sums_values_ = memory.Buffer<double>(sums_);
    return absl::OkStatus();
  }

  Status ForwardRows() override {
    const int64_t row = shape_.channels * shape_.inner;
    ForRows(shape_.rows, row, [&](int64_t begin, int64_t end) {
      PReluShape part = shape_;
      part.rows = end - begin;
      PReluForward(part, slope_values_, x() + begin * row, y() + begin * row);
    });
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    // A part of at least a cache line of each row.
    const Loop channels{.count = shape_.channels,
                        .grain = shape_.inner < 16 ? 16 : 1,
                        .floats = shape_.rows * shape_.inner};
    ParallelFor(channels, [&](int64_t begin, int64_t end) {
      PReluBackward(shape_, {begin, end}, slope_values_, x(), dy(), dx(), sums_values_);
    });
    PReluSlopeGradient(shape_, sums_values_, d_slope_);
    return absl::OkStatus();
  }

 private:
  std::string name_;
  PRelu conf_;
  PReluShape shape_;
  ParameterId slope_ = -1;
  BufferId sums_ = kNoBuffer;
  const float* slope_values_ = nullptr;
  float* d_slope_ = nullptr;
  double* sums_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompilePRelu(const LayerConfig& layer) {
  return std::make_unique<PReluLayer>(layer);
}

}  // namespace dl::nn
