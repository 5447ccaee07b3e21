// Each x[n, c, i, j] adds W[f, c, k, l] x to y[n, f, i stride + k dilation - before, ...] for the
// filters f of c's group, if the index is inside the output. Then b[f] is added to y.
#pragma once

#include <functional>

#include "nn/conf/layers/transposed_conv2d.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class TransposedConvolution : public Layer {
 public:
  // `bias` is empty if the layer has no bias.
  struct Shape {
    nn::TransposedConv2D conf;
    nn::InputType input, output;
  };
  TransposedConvolution(Tensor weight, Tensor bias, Shape shape)
      : weight_(weight), bias_(bias), shape_(std::move(shape)) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // Indices of the elements in one product.
  struct Tap {
    int64_t x = 0, weight = 0, y = 0;
  };
  void ForEachTap(const std::function<void(const Tap&)>& visit) const;

  Tensor weight_, bias_;
  Shape shape_;
  Values x_;
};

}  // namespace dl::reference
