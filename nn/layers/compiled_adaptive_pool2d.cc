#include "nn/layers/compiled_adaptive_pool2d.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/planes.h"
#include "nn/layers/plain_image.h"

namespace dl::nn {
namespace {

RegionShape ShapeOf(const Extent2D& size, const InputType& input) {
  return {.height = input.height, .width = input.width, .rows = size.height, .columns = size.width};
}

RegionShape WithPlanes(const RegionShape& shape, int64_t planes) {
  RegionShape all = shape;
  all.planes = planes;
  return all;
}

class AdaptiveAvgPool2DLayer : public PlainImageLayer {
 public:
  AdaptiveAvgPool2DLayer(const Extent2D& size, const InputType& input)
      : PlainImageLayer({.kind = InputKind::kImage, .height = size.height, .width = size.width}),
        shape_(ShapeOf(size, input)) {}
  void Compute(int64_t planes, const float* x, float* y) const override {
    MeansOfRegions(Of(planes), x, y);
  }
  void ComputeGradient(int64_t planes, const float* dy, float* dx) const override {
    MeansOfRegionsGradient(Of(planes), dy, dx);
  }

 private:
  RegionShape Of(int64_t planes) const { return WithPlanes(shape_, planes); }

  RegionShape shape_;
};

// The backward step reads the input again.
class AdaptiveMaxPool2DLayer : public PlainRowsLayer {
 public:
  AdaptiveMaxPool2DLayer(const Extent2D& size, const InputType& input)
      : shape_(ShapeOf(size, input)) {}

 private:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&,
                                          const std::vector<int64_t>& input) override {
    shape_.planes = input[0] * input[1];
    return std::vector<int64_t>{input[0], input[1], shape_.rows, shape_.columns};
  }
  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    return absl::OkStatus();
  }
  Status BindRows(const PlanMemory&) override { return absl::OkStatus(); }
  Status ForwardRows() override {
    ForRows(shape_.planes, InSize(), [&](int64_t begin, int64_t end) {
      LargestOfRegions(WithPlanes(shape_, end - begin), x() + begin * InSize(),
                       y() + begin * OutSize());
    });
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    ForRows(shape_.planes, InSize(), [&](int64_t begin, int64_t end) {
      LargestOfRegionsGradient(WithPlanes(shape_, end - begin), x() + begin * InSize(),
                               dy() + begin * OutSize(), dx() + begin * InSize());
    });
    return absl::OkStatus();
  }
  // Values of a plane.
  int64_t InSize() const { return shape_.height * shape_.width; }
  int64_t OutSize() const { return shape_.rows * shape_.columns; }

  RegionShape shape_;
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
