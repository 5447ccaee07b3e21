// Draws from normal distributions that the network itself says, as a variational autoencoder does
// (Kingma, Welling, "Auto-encoding variational Bayes", ICLR 2014, section 3 and appendix B): of 2k
// features x the first k are means m, the others logarithms of variances v, and
//
//   y = m + exp(v / 2) e  in training, with e of N(0, 1) for each value;  y = m  otherwise
//
// It adds to the loss of each example kl_weight times the divergence from N(0, 1),
//
//   KL = 1/2 sum_i (m_i^2 + exp(v_i) - 1 - v_i)
//
// in training and in evaluations. A loss that is a mean over n outputs, as those of nn/conf/losses
// are, is the paper's bound divided by n where kl_weight is 1/n; beta times that is the beta-VAE of
// Higgins et al., ICLR 2017.
#pragma once

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct LayerSample;

struct GaussianSample : NamedLayer<GaussianSample> {
  static constexpr std::string_view kTag = "gaussian_sample";
  static constexpr std::string_view kNamePrefix = "sample";
  static constexpr InputNeed kNeeds = InputNeed::kRows;

  GaussianSample() = default;
  explicit GaussianSample(double weight) : kl_weight(weight) {}

  double kl_weight = 1;

  bool operator==(const GaussianSample&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "kl_weight",
                .what = "the weight of the divergence",
                .max = limits::kMaxCoefficient,
                .meaning = "What the divergence of an example's distributions from the standard "
                           "normal one counts in its loss; 1 over the number of outputs for a "
                           "variational autoencoder's bound"},
          self.kl_weight);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
