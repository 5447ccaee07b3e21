// A loss (nn/conf/losses) that ends a model without the product of an output layer
// (nn/conf/layers/output.h). Its input must have as many values as that output layer would have
// units: classes (for ctc also the blank), or numbers to predict. It uses all values of a flat
// vector, image or volume, row-major, or the values of each step of a sequence. A convolutional
// autoencoder ends with this layer, compared with its input.
#pragma once

#include "nn/conf/layers/output.h"

namespace dl::nn {

struct LossLayer : NamedLayer<LossLayer>, LossKeys<LossLayer> {
  static constexpr std::string_view kTag = "loss";
  static constexpr std::string_view kNamePrefix = "loss";
  static constexpr InputNeed kNeeds = InputNeed::kRows;
  static constexpr bool kTakesVariableLength = true;

  LossLayer() = default;
  explicit LossLayer(LossConf value) { loss = std::move(value); }

  bool operator==(const LossLayer&) const = default;
  // Returns the output layer that has the same loss and `units` outputs.
  Output As(int64_t units) const;
  // Returns `input`. Adds the mistakes of Output::Check for As(input.channels), and returns nullopt
  // if there are any.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    LossKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
