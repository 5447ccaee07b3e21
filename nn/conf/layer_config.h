// The layers of a validated model (nn/conf/model_config.h).
#pragma once

#include <string>
#include <vector>

#include "nn/conf/input_type.h"
#include "nn/conf/layers/registry.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// The model's input, among what a layer reads.
inline constexpr int kModelInput = -1;

// One layer in its place.
struct LayerConfig {
  std::string name;  // unique in the model; an adapter's is "<next layer>/flatten"
  LayerConf conf;
  std::vector<int> reads;  // layers before it, by their index in the model, or kModelInput
  InputType input;         // of the first that it reads
  InputType output;
  std::vector<ParameterConf> parameters;  // initializers, l2 and weight decay resolved
  enum class Origin : uint8_t { kUser, kAdapter };
  Origin origin = Origin::kUser;

  bool operator==(const LayerConfig&) const = default;
};

}  // namespace dl::nn
