// y[n, u] = b[u] + sum over i of W[u, i] x[n, i].
#pragma once

#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Dense : public Layer {
 public:
  // `bias` is empty if the layer has no bias.
  Dense(Tensor weight, Tensor bias, int64_t units) : weight_(weight), bias_(bias), units_(units) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  Tensor weight_, bias_;
  int64_t units_;
  Values x_;
  int64_t examples_ = 0;
};

}  // namespace dl::reference
