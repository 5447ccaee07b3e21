// The dropout mask is a pure function of the step's coordinates. Element i of the minibatch, in
// logical order, is dropped if the i-th value of the stream (seed, kDropout, layer and epoch,
// round, worker and step) is below floor(p 2^32). Spatial dropout counts channels of examples
// instead of elements. Gaussian dropout uses the i-th normal number of the stream. The formulas are
// in nn/conf/layers/dropout.h.
#pragma once

#include "base/philox.h"
#include "nn/conf/input_type.h"
#include "nn/conf/layers/dropout.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Dropout : public Layer {
 public:
  // `layer_index` is the layer's index in the model, including adapters.
  Dropout(const nn::Dropout& conf, const nn::InputType& input, uint64_t layer_index)
      : conf_(conf), input_(input), layer_index_(layer_index) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // Returns the index of the random number for element i of the minibatch.
  uint64_t Place(size_t i) const;

  nn::Dropout conf_;
  nn::InputType input_;
  uint64_t layer_index_;
  Values factors_;
};

// nn/conf/layers/gaussian_noise.h: element i uses the i-th normal number of the stream.
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

// Dropout masks with a random purpose of their own: value u of example e uses number e size + u of
// the stream.
struct PurposeDropout {
  double probability = 0;
  uint64_t layer_index = 0;
  RandomPurpose purpose = RandomPurpose::kForTests;

  // Returns factors [examples, size], which are 1 if nothing is dropped.
  Values Mask(const Pass& pass, int64_t size) const;
};
// Masks of nn/conf/layers/recurrent.h for one direction, one value per unit.
using RecurrentDropout = PurposeDropout;
// Masks of nn/conf/layers/self_attention.h, one value per weight [heads, query steps, key steps].
using AttentionDropout = PurposeDropout;

}  // namespace dl::reference
