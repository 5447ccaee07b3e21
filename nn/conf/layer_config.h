// The layers of a validated model (nn/conf/model_config.h).
#pragma once

#include <string>
#include <vector>

#include "nn/conf/input_type.h"
#include "nn/conf/layers/registry.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// Among what a layer reads, input `i` of the model: kFirstInput - i.
inline constexpr int kFirstInput = -1;
inline bool IsInput(int read) { return read <= kFirstInput; }
inline size_t InputIndex(int read) { return static_cast<size_t>(kFirstInput - read); }

// Whether layers call its only input kInputName, which is no name of its own.
inline bool HasUnnamedInput(const ModelConfig& model) {
  return model.inputs.size() == 1 && model.inputs.front().name == kInputName;
}

// A parameter that a layer has from another one.
struct SharedParameter {
  std::string name;  // within both layers
  int layer = 0;     // whose it is, by its index in the model
  bool operator==(const SharedParameter&) const = default;
};

// One layer in its place.
struct LayerConfig {
  std::string name;  // unique in the model; an adapter's is "<next layer>/flatten"
  LayerConf conf;
  std::vector<int> reads;               // layers before it, by their index in the model, or inputs
  InputType input;                      // of the first that it reads
  std::vector<InputType> other_inputs;  // of the others
  InputType output;
  std::vector<ParameterConf> parameters;  // its own; initializers, l2 and weight decay resolved
  std::vector<SharedParameter> shared;
  enum class Origin : uint8_t { kUser, kAdapter };
  Origin origin = Origin::kUser;

  int64_t ParameterCount() const;  // elements of its own parameters, moments not included
  bool operator==(const LayerConfig&) const = default;
};

// Of a layer that ends a model; of one that is a loss alone, what it would be with a product.
// REQUIRES: EndsModel(layer.conf).
Output OutputOf(const LayerConfig& layer);

}  // namespace dl::nn
