#include "nn/layers/adaptive_pool2d.h"

#include "nn/kernels/planes.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class AdaptivePool2DLayer : public PlainRowsLayer {
 public:
  AdaptivePool2DLayer(const Extent2D& size, const InputType& input)
      : shape_{.height = input.height,
               .width = input.width,
               .rows = size.height,
               .columns = size.width} {}

 protected:
  const RegionShape& shape() const { return shape_; }

 private:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&, const std::vector<int64_t>& input) final {
    shape_.planes = input[0] * input[1];
    return std::vector<int64_t>{input[0], input[1], shape_.rows, shape_.columns};
  }
  Status BindRows(const PlanMemory&) final { return absl::OkStatus(); }

  RegionShape shape_;
};

class AdaptiveAvgPool2DLayer : public AdaptivePool2DLayer {
 public:
  using AdaptivePool2DLayer::AdaptivePool2DLayer;

 private:
  Status PlanRowsGradient(PlanBuilder&) override { return absl::OkStatus(); }
  Status ForwardRows() override {
    MeansOfRegions(shape(), x(), y());
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    MeansOfRegionsGradient(shape(), dy(), dx());
    return absl::OkStatus();
  }
};

class AdaptiveMaxPool2DLayer : public AdaptivePool2DLayer {
 public:
  using AdaptivePool2DLayer::AdaptivePool2DLayer;

 private:
  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    return absl::OkStatus();
  }
  Status ForwardRows() override {
    LargestOfRegions(shape(), x(), y());
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    LargestOfRegionsGradient(shape(), x(), dy(), dx());
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileAdaptiveAvgPool2D(const Extent2D& size,
                                                        const InputType& input) {
  return std::make_unique<AdaptiveAvgPool2DLayer>(size, input);
}
std::unique_ptr<CompiledLayer> CompileAdaptiveMaxPool2D(const Extent2D& size,
                                                        const InputType& input) {
  return std::make_unique<AdaptiveMaxPool2DLayer>(size, input);
}

}  // namespace dl::nn
