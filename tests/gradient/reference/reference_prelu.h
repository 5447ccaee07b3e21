// y = x > 0 ? x : a x, as in nn/conf/layers/prelu.h. At 0 it has the derivative of its left side.
#pragma once

#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class PRelu : public Layer {
 public:
  // The values of an example or step are laid out as [channels, area].
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
