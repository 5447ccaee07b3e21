// LayerNorm: y = gamma (x - m) / sqrt(v + epsilon) + beta over each row
// (nn/conf/layers/layer_norm.h). RmsNorm: gamma x / sqrt(mean of squares + epsilon) (rms_norm.h).
// GroupNorm: over groups of channels (group_norm.h).
#pragma once

#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class LayerNorm : public Layer {
 public:
  LayerNorm(Tensor gamma, Tensor beta, double epsilon)
      : gamma_(gamma), beta_(beta), epsilon_(epsilon) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  Tensor gamma_, beta_;
  double epsilon_;
  Values normalized_, deviations_;
};

class RmsNorm : public Layer {
 public:
  RmsNorm(Tensor gamma, double epsilon) : gamma_(gamma), epsilon_(epsilon) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  Tensor gamma_;
  double epsilon_;
  Values x_, roots_;
};

class GroupNorm : public Layer {
 public:
  struct Shape {
    size_t channels = 0, area = 0, groups = 0;
  };
  GroupNorm(Tensor gamma, Tensor beta, const Shape& shape, double epsilon)
      : gamma_(gamma), beta_(beta), shape_(shape), epsilon_(epsilon) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // Returns the channel of value i.
  size_t ChannelOf(size_t i) const { return i / shape_.area % shape_.channels; }
  size_t ValuesOfGroup() const { return shape_.channels / shape_.groups * shape_.area; }

  Tensor gamma_, beta_;
  Shape shape_;
  double epsilon_;
  Values normalized_, deviations_;
};

}  // namespace dl::reference
