// softmax(Q K^T / sqrt(d)) V for each head of each example, of rows that hold queries, keys and
// values: the middle of nn/conf/layers/self_attention.h, value by value.
#pragma once

#include "tests/gradient/reference/layer.h"

namespace dl::reference {

class Attention : public Layer {
 public:
  struct Shape {
    int64_t steps = 0, features = 0, heads = 0;
    bool causal = false;
  };
  explicit Attention(const Shape& shape) : shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // Which value of x is feature i of a head's query (0), key (1) or value (2) at a step.
  size_t At(int64_t example, int64_t step, int64_t head, int64_t i, int64_t third) const;
  // The weights with which a step sees the others.
  Values WeightsOf(int64_t example, int64_t head, int64_t step) const;

  Shape shape_;
  Values x_;
  int64_t examples_ = 0;
};

}  // namespace dl::reference
