// A layer that ends a model where what it reads is judged as it is: a loss (nn/conf/losses) without
// the product that an output layer (nn/conf/layers/output.h) has in front of it. It reads as many
// values as there are classes, or numbers to predict: of a flat vector or an image all of them,
// row-major, of a sequence those of each step. A convolutional autoencoder ends so, compared with
// its input.
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
  // The output layer that it is but for its product.
  Output As(int64_t units) const;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    LossKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
