// y = x > 0 ? x : a x, as nn/conf/layers/prelu.h says; at 0 with the derivative of the left side.
#pragma once

#include "tests/gradient/reference/layer.h"

namespace dl::reference {

class PRelu : public Layer {
 public:
  // Values of one example or step lie as [channels, area].
  struct Shape {
    int64_t channels = 0, area = 1;
  };
  PRelu(Tensor slope, const Shape& shape) : slope_(slope), shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  double KinkDistance() const override;

 private:
  size_t SlopeOf(size_t value) const;

  Tensor slope_;
  Shape shape_;
  Values x_;
};

}  // namespace dl::reference
