// An activation on its own, elementwise (softmax: over the features of a flat input).
#pragma once

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct LayerSample;

struct ActivationLayer : NamedLayer<ActivationLayer> {
  static constexpr std::string_view kTag = "activation";
  static constexpr std::string_view kNamePrefix = "activation";
  static constexpr InputNeed kNeeds = InputNeed::kAny;

  ActivationLayer() = default;
  explicit ActivationLayer(ActivationConf value) : activation(value) {}

  ActivationConf activation;

  bool operator==(const ActivationLayer&) const = default;
  void Check(Mistakes& mistakes) const;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  void WriteJson(Json& json) const;
  void ReadJson(JsonObjectReader& reader);
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
