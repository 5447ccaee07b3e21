// Reference of the layers that move pixels: nn/conf/layers/edges2d.h and upsample2d.h. Each pixel
// of the output is a pixel of the input, or 0 outside the input.
#pragma once

#include "nn/conf/layers/window.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class MovedPixels : public Layer {
 public:
  // Row i and column j of the output are row i / scale - begin and column j / scale - begin of the
  // input.
  struct Shape {
    nn::InputType input, output;
    nn::Extent2D scale = {1, 1};
    nn::Extent2D begin = {};
  };
  explicit MovedPixels(const Shape& shape) : shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  int64_t SourceOf(int64_t output) const;  // -1: none

  Shape shape_;
  size_t inputs_ = 0;
};

}  // namespace dl::reference
