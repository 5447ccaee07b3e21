// y[n, f, od, oh, ow] = b[f] + sum over the channels c of f's group, kd, kh and kw of
// W[f, c, kd, kh, kw] x[n, c, od stride - before + kd dilation, oh stride - before + kh dilation,
// ow stride - before + kw dilation],
// with x = 0 outside the input, and `before` the padding before the first value of each axis. W
// counts c from the first channel of the group. An image has depth 1.
#pragma once

#include <functional>

#include "nn/conf/layers/window.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Convolution : public Layer {
 public:
  // `bias` is empty if the layer has no bias.
  struct Shape {
    int64_t groups = 1;
    nn::Window3D window;
    nn::InputType input, output;
  };
  Convolution(Tensor weight, Tensor bias, Shape shape)
      : weight_(weight), bias_(bias), shape_(std::move(shape)) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // Indices of the elements in one product of the sum.
  struct Tap {
    int64_t x = 0, weight = 0, y = 0;
  };
  void ForEachTap(const std::function<void(const Tap&)>& visit) const;

  Tensor weight_, bias_;
  Shape shape_;
  Values x_;
  int64_t examples_ = 0;
};

}  // namespace dl::reference
