// Batch normalization (Ioffe, Szegedy, ICML 2015): y = gamma (x - m) / sqrt(v + epsilon) + beta.
// Statistics are per feature of a flat input, per channel of an image or volume, or per feature of
// a sequence over the steps that its examples have. Training uses the minibatch's mean m and biased
// variance v, inference uses the running moments. A step, or each of its micro-batches, updates
// each running moment r:
//   r = decay * r + (1 - decay) * the minibatch's moment
//
// If a minibatch or micro-batch has a single value per channel, it has no variance: y is beta, and
// the running moments do not change. A job is refused if its minibatches or micro-batches have the
// size 1 and a layer that is not frozen has such inputs (job/single_example_parts.h). PyTorch
// refuses each such minibatch.
//
// A frozen layer normalizes by the running moments in training, too. Neither they nor gamma and
// beta change. This keeps the statistics of a pretrained network during fine-tuning (PyTorch:
// eval() and no gradients; Keras: trainable = False).
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct BatchNorm : LayerWithScales<BatchNorm> {
  static constexpr std::string_view kTag = "batch_norm";
  static constexpr std::string_view kNamePrefix = "bn";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;

  BatchNorm& Epsilon(double value) {
    epsilon = value;
    return *this;
  }
  BatchNorm& Decay(double value) {
    decay = value;
    return *this;
  }

  double epsilon = 1e-5;  // 1e-12 to 1
  double decay = 0.9;     // 0 to 1: share of the running moments that a step keeps

  bool operator==(const BatchNorm&) const = default;
  // Returns whether an example has one value per channel: a flat vector, an image or volume of one
  // pixel, or a sequence of one step.
  static bool TakesOneValue(const InputType& input) { return input.Elements() == input.channels; }
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const { return input; }
  // Returns gamma, beta, mean and variance, each [channels]. gamma and variance begin at 1, beta
  // and mean at 0.
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kVarianceEpsilonField, self.epsilon);
    visit(Field{.key = "decay",
                .what = "the decay of the running moments",
                .max = 1,
                .meaning = "Decay of the running moments per step"},
          self.decay);
    visit(kFrozenField, self.frozen);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
