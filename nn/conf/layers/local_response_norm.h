// Local response normalization across channels (Krizhevsky, Sutskever & Hinton, "ImageNet
// classification with deep convolutional neural networks", NIPS 2012, section 3.3):
//   y[c] = x[c] / (k + alpha * sum of x[j]^2 over |j - c| <= (size - 1) / 2) ^ beta
// j is limited to existing channels. As in the paper, in TensorFlow and in Deeplearning4j, alpha
// multiplies the sum. Caffe and PyTorch divide the sum by size, so alpha here is theirs divided by
// size.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct LocalResponseNorm : NamedLayer<LocalResponseNorm> {
  static constexpr std::string_view kTag = "local_response_norm";
  static constexpr std::string_view kNamePrefix = "response_norm";
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  LocalResponseNorm& Size(int64_t channels) {
    size = channels;
    return *this;
  }
  LocalResponseNorm& Alpha(double value) {
    alpha = value;
    return *this;
  }
  LocalResponseNorm& Beta(double value) {
    beta = value;
    return *this;
  }
  LocalResponseNorm& K(double value) {
    k = value;
    return *this;
  }

  // Defaults are those of the paper.
  int64_t size = 5;     // channels, odd, 1 to limits::kMaxWindow - 1 (the largest odd number)
  double alpha = 1e-4;  // 0 to limits::kMaxCoefficient
  double beta = 0.75;   // 0 to 8
  double k = 2;         // 1e-3 to limits::kMaxCoefficient

  bool operator==(const LocalResponseNorm&) const = default;
  // Adds a mistake if `size` is even.
  void Check(Mistakes& mistakes) const;
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const { return input; }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(
        Field{.key = "size",
              .what = "the number of neighbouring channels",
              .unit = "channels",
              .min = 1,
              .max = limits::kMaxWindow - 1,
              .meaning =
                  "Number of channels in the sum of squares, centered on the channel. Must be odd"},
        self.size);
    visit(Field{.key = "alpha",
                .what = "alpha",
                .max = limits::kMaxCoefficient,
                .meaning = "Factor of the sum of squares. The sum is not divided by `size`"},
          self.alpha);
    visit(Field{.key = "beta", .what = "beta", .max = 8, .meaning = "Exponent of the divisor"},
          self.beta);
    visit(Field{.key = "k",
                .what = "k",
                .min = 1e-3,
                .max = limits::kMaxCoefficient,
                .meaning = "Constant term of the divisor, added to alpha times the sum of squares"},
          self.k);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
