// Transposed 2-D convolution, also called deconvolution. It computes what the gradient with respect
// to the input of a convolution with the same window computes (Dumoulin & Visin, "A guide to
// convolution arithmetic for deep learning", arXiv:1603.07285, section 4). Each value of the input
// adds its window of weights to the output:
//   y[f, i stride + k dilation - top, j stride + l dilation - left] += W[f, c, k, l] x[c, i, j]
// Then the bias is added and the activation applied. W is [filters, channels / groups, kernel
// height, kernel width]. For each axis (relationship 13 in the paper):
//   reach = (kernel - 1) dilation + 1
//   out = (in - 1) stride + reach - 2 padding
// With padding "same", out = in * stride, as in TensorFlow.
#pragma once

#include "nn/conf/layers/convolution.h"

namespace dl::nn {

struct LayerSample;

struct TransposedConv2D : Convolution<TransposedConv2D, Extent2D> {
  static constexpr std::string_view kTag = "transposed_conv2d";
  static constexpr std::string_view kNamePrefix = "transposed_conv";
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  using Convolution::Convolution;
  bool operator==(const TransposedConv2D&) const = default;
  // Returns an image of `filters` channels. Adds a mistake and returns nullopt if the number of
  // groups does not divide the input channels, or if the padding leaves no pixel of the output.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
