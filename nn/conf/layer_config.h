// The layers of a validated model (nn/conf/model_config.h).
#pragma once

#include <string>
#include <vector>

#include "nn/conf/input_type.h"
#include "nn/conf/layers/layer_registry.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// In LayerConfig::reads, input `i` of the model is kFirstInput - i.
inline constexpr int kFirstInput = -1;
inline bool IsInput(int read) { return read <= kFirstInput; }
inline size_t InputIndex(int read) { return static_cast<size_t>(kFirstInput - read); }

// Returns whether the model has a single, unnamed input, which layers call kInputName.
inline bool HasUnnamedInput(const ModelConfig& model) {
  return model.inputs.size() == 1 && model.inputs.front().name == kInputName;
}

// A parameter that a layer shares with another layer, which owns it.
struct SharedParameter {
  std::string name;  // in both layers
  int layer = 0;     // index of the owner in the model
  bool operator==(const SharedParameter&) const = default;
};

// A layer of a validated model.
struct LayerConfig {
  // Unique in the model. For an adapter: the name of the layer that reads it, and "/flatten".
  std::string name;
  LayerConf conf;
  std::vector<int> reads;               // indices of layers before it, or inputs
  InputType input;                      // type of the first value that it reads
  std::vector<InputType> other_inputs;  // types of the others
  InputType output;
  // Its own parameters, and running means and variances. Values that the layer does not state, such
  // as the initializer, are those of the model.
  std::vector<ParameterConf> parameters;
  std::vector<SharedParameter> shared;
  enum class Origin : uint8_t { kUser, kAdapter };
  Origin origin = Origin::kUser;

  // Returns the number of elements of its own parameters. Running means and variances do not count.
  int64_t ParameterCount() const;
  bool operator==(const LayerConfig&) const = default;
};

// Returns the configuration of a layer that ends a model. A LossLayer is returned as the Output
// layer with the same loss, and as many units as its input has channels (LossLayer::As). REQUIRES:
// EndsModel(layer.conf).
Output OutputOf(const LayerConfig& layer);

}  // namespace dl::nn
