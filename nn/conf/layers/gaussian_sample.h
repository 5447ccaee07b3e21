// Draws samples from normal distributions whose parameters the network computes, as in a
// variational autoencoder (Kingma, Welling, "Auto-encoding variational Bayes", ICLR 2014, section 3
// and appendix B). The first k of 2k input features are means m, the others are logarithms of
// variances v:
//
//   training:   y = m + exp(v / 2) e, with e of N(0, 1) for each value
//   inference:  y = m
//
// In both, the layer adds kl_weight times the divergence from N(0, 1) to the loss of each example:
//
//   KL = 1/2 sum_i (m_i^2 + exp(v_i) - 1 - v_i)
//
// Most losses of nn/conf/losses are means over n outputs. With kl_weight = 1/n, the total is then
// the paper's bound divided by n. With beta times that weight, it is the beta-VAE of Higgins et
// al., ICLR 2017.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct GaussianSample : NamedLayer<GaussianSample> {
  static constexpr std::string_view kTag = "gaussian_sample";
  static constexpr std::string_view kNamePrefix = "sample";
  static constexpr InputNeed kNeeds = InputNeed::kRows;

  GaussianSample() = default;
  explicit GaussianSample(double weight) : kl_weight(weight) {}

  double kl_weight = 1;  // 0 to limits::kMaxCoefficient

  bool operator==(const GaussianSample&) const = default;
  // Returns k features. Adds a mistake and returns nullopt for a sequence, or for an odd number of
  // features.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "kl_weight",
                .what = "the weight of the divergence",
                .max = limits::kMaxCoefficient,
                .meaning =
                    "Weight of the divergence from the standard normal distribution in the loss. 1 "
                    "/ (number of outputs) gives the bound of a variational autoencoder"},
          self.kl_weight);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
