#include "nn/layers/compiled_upsample2d.h"

#include "nn/kernels/planes.h"
#include "nn/layers/plain_image.h"

namespace dl::nn {
namespace {

class UpsampleLayer : public PlainImageLayer {
 public:
  explicit UpsampleLayer(const BlockShape& shape)
      : PlainImageLayer({.kind = InputKind::kImage,
                         .height = shape.height * shape.rows,
                         .width = shape.width * shape.columns}),
        shape_(shape) {}
  void Compute(int64_t planes, const float* x, float* y) const override {
    RepeatPixels(Of(planes), x, y);
  }
  void ComputeGradient(int64_t planes, const float* dy, float* dx) const override {
    SumBlocks(Of(planes), dy, dx);
  }

 private:
  BlockShape Of(int64_t planes) const {
    BlockShape all = shape_;
    all.planes = planes;
    return all;
  }

  BlockShape shape_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileUpsample2D(const Upsample2D& conf, const InputType& input) {
  return std::make_unique<UpsampleLayer>(BlockShape{.height = input.height,
                                                    .width = input.width,
                                                    .rows = conf.scale.height,
                                                    .columns = conf.scale.width});
}

}  // namespace dl::nn
