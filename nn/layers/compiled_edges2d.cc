#include "nn/layers/compiled_edges2d.h"

#include "nn/kernels/planes.h"
#include "nn/layers/plain_image.h"

namespace dl::nn {
namespace {

FrameShape Of(const FrameShape& frame, int64_t planes) {
  FrameShape all = frame;
  all.planes = planes;
  return all;
}

class ZeroPadLayer : public PlainImageLayer {
 public:
  explicit ZeroPadLayer(const FrameShape& frame)
      : PlainImageLayer({.kind = InputKind::kImage, .height = frame.height, .width = frame.width}),
        frame_(frame) {}
  void Compute(int64_t planes, const float* x, float* y) const override {
    SurroundByZeros(Of(frame_, planes), x, y);
  }
  void ComputeGradient(int64_t planes, const float* dy, float* dx) const override {
    TakeMiddle(Of(frame_, planes), dy, dx);
  }

 private:
  FrameShape frame_;
};

class CropLayer : public PlainImageLayer {
 public:
  explicit CropLayer(const FrameShape& frame)
      : PlainImageLayer(
            {.kind = InputKind::kImage, .height = frame.inner_height, .width = frame.inner_width}),
        frame_(frame) {}
  void Compute(int64_t planes, const float* x, float* y) const override {
    TakeMiddle(Of(frame_, planes), x, y);
  }
  void ComputeGradient(int64_t planes, const float* dy, float* dx) const override {
    SurroundByZeros(Of(frame_, planes), dy, dx);
  }

 private:
  FrameShape frame_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileZeroPad2D(const Edges& edges, const InputType& input) {
  return std::make_unique<ZeroPadLayer>(
      FrameShape{.height = edges.top + input.height + edges.bottom,
                 .width = edges.left + input.width + edges.right,
                 .inner_height = input.height,
                 .inner_width = input.width,
                 .top = edges.top,
                 .left = edges.left});
}

std::unique_ptr<CompiledLayer> CompileCrop2D(const Edges& edges, const InputType& input) {
  return std::make_unique<CropLayer>(
      FrameShape{.height = input.height,
                 .width = input.width,
                 .inner_height = input.height - edges.top - edges.bottom,
                 .inner_width = input.width - edges.left - edges.right,
                 .top = edges.top,
                 .left = edges.left});
}

}  // namespace dl::nn
