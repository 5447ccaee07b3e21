// The mask is a pure function of the step's coordinates: element i of the batch, in logical order,
// is dropped when the i-th value of the stream (seed, kDropout, layer and epoch, round, worker and
// step) is below floor(p 2^32).
#pragma once

#include "tests/gradient/reference/layer.h"

namespace dl::reference {

class Dropout : public Layer {
 public:
  // `layer_index` is the layer's place in the model, adapters counted.
  Dropout(double probability, uint64_t layer_index)
      : probability_(probability), layer_index_(layer_index) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  double probability_;
  uint64_t layer_index_;
  Values factors_;
};

}  // namespace dl::reference
