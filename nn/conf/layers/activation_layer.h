// An activation as a layer of its own. It acts on each value; softmax acts on the features of a
// flat input, or of each step of a sequence.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct ActivationLayer : NamedLayer<ActivationLayer> {
  static constexpr std::string_view kTag = "activation";
  static constexpr std::string_view kNamePrefix = "activation";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;

  ActivationLayer() = default;
  explicit ActivationLayer(ActivationConf value) : activation(value) {}

  ActivationConf activation;

  bool operator==(const ActivationLayer&) const = default;
  // Returns `input`. Adds a mistake and returns nullopt for softmax of an image or volume.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    Field field = kActivationField;
    field.presence = Field::Presence::kRequired;
    visit(field, self.activation);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
