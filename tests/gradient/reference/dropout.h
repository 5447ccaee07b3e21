// The mask is a pure function of the step's coordinates: element i of the batch, in logical order,
// is dropped when the i-th value of the stream (seed, kDropout, layer and epoch, round, worker and
// step) is below floor(p 2^32). The spatial kind counts channels of examples instead of elements,
// the Gaussian one takes the i-th normal number of the stream; nn/conf/layers/dropout.h has what
// follows.
#pragma once

#include "base/philox.h"
#include "nn/conf/input_type.h"
#include "nn/conf/layers/dropout.h"
#include "tests/gradient/reference/layer.h"

namespace dl::reference {

class Dropout : public Layer {
 public:
  // `layer_index` is the layer's place in the model, adapters counted.
  Dropout(const nn::Dropout& conf, const nn::InputType& input, uint64_t layer_index)
      : conf_(conf), input_(input), layer_index_(layer_index) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // Of element i of the batch: which number decides.
  uint64_t Place(size_t i) const;

  nn::Dropout conf_;
  nn::InputType input_;
  uint64_t layer_index_;
  Values factors_;
};

// nn/conf/layers/gaussian_noise.h: element i gets the stream's i-th normal number.
class GaussianNoise : public Layer {
 public:
  GaussianNoise(double deviation, uint64_t layer_index)
      : deviation_(deviation), layer_index_(layer_index) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override { return dy; }

 private:
  double deviation_;
  uint64_t layer_index_;
};

// Masks by a purpose of their own: value u of an example has number e size + u of the stream.
struct PurposeDropout {
  double probability = 0;
  uint64_t layer_index = 0;
  RandomPurpose purpose = RandomPurpose::kTest;

  // [examples, size]; ones where nothing is dropped.
  Values Mask(const Pass& pass, int64_t size) const;
};
// nn/conf/layers/recurrent.h's masks of one direction, of each unit.
using RecurrentDropout = PurposeDropout;
// nn/conf/layers/self_attention.h's masks, of each weight [heads, query steps, key steps].
using AttentionDropout = PurposeDropout;

}  // namespace dl::reference
