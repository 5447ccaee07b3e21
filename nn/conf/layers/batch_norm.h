// Batch normalization (Ioffe, Szegedy, ICML 2015), per feature of a flat input, per feature of a
// sequence over the steps that its examples have, or per channel of an image or volume:
// y = gamma (x - m) / sqrt(v + epsilon) + beta, with the minibatch's mean and biased variance in
// training and the running ones otherwise. Running moments: r = decay r + (1 - decay) batch, both
// the mean and the biased variance. A minibatch, or a part of one, that has a single value of each
// channel has no variance: y is beta, and the running moments stay as they are. A job whose every
// step is such a part is refused (job/single_example_parts.h), as PyTorch does. A frozen one
// normalizes by the running moments in training too, and neither they nor gamma and beta change: a
// network that is fine-tuned keeps what it was trained with (PyTorch: eval() and no gradients;
// Keras: trainable = False).
#pragma once

#include "nn/conf/layers/layer.h"

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

  double epsilon = 1e-5;
  double decay = 0.9;

  bool operator==(const BatchNorm&) const = default;
  // Whether an example has one value for each channel: a flat vector, an image of one pixel, a
  // sequence of one step.
  static bool TakesOneValue(const InputType& input) { return input.Elements() == input.channels; }
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const { return input; }
  // gamma (1), beta (0), mean (0), variance (1), each [channels].
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kVarianceEpsilonField, self.epsilon);
    visit(Field{.key = "decay",
                .what = "the decay of the running moments",
                .max = 1,
                .meaning = "Share of the running moments that a step keeps"},
          self.decay);
    visit(kFrozenField, self.frozen);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
