// Adds a random number of N(0, deviation^2) to each value in training. Inference is the identity.
// Noise at the input or between layers reduces overfitting (C. M. Bishop, "Training with noise is
// equivalent to Tikhonov regularization", Neural Computation 7, 1995). Equals GaussianNoise of
// Keras.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct GaussianNoise : NamedLayer<GaussianNoise> {
  static constexpr std::string_view kTag = "gaussian_noise";
  static constexpr std::string_view kNamePrefix = "noise";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;

  GaussianNoise() = default;
  explicit GaussianNoise(double standard_deviation) : deviation(standard_deviation) {}

  double deviation = 0.1;  // 0 to limits::kMaxCoefficient

  bool operator==(const GaussianNoise&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const { return input; }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "deviation",
                .what = "the deviation of the noise",
                .max = limits::kMaxCoefficient,
                .meaning = "Standard deviation of the noise that training adds to each value"},
          self.deviation);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
