// Activation functions as data; the engine holds the kernels.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

enum class ActivationKind : uint8_t { kIdentity, kRelu, kLeakyRelu, kTanh, kSigmoid, kSoftmax };

struct ActivationConf {
  ActivationKind kind = ActivationKind::kIdentity;
  double alpha = 0;  // leaky relu only: the slope left of 0
  bool operator==(const ActivationConf&) const = default;
};

inline ActivationConf Identity() { return {ActivationKind::kIdentity}; }  // x
inline ActivationConf Relu() { return {ActivationKind::kRelu}; }          // max(x, 0)
inline ActivationConf LeakyRelu(double alpha = 0.01) {
  return {ActivationKind::kLeakyRelu, alpha};
}  // x > 0 ? x : alpha x
inline ActivationConf Tanh() { return {ActivationKind::kTanh}; }
inline ActivationConf Sigmoid() { return {ActivationKind::kSigmoid}; }  // 1 / (1 + exp(-x))
inline ActivationConf Softmax() {
  return {ActivationKind::kSoftmax};
}  // over the features of a flat input

std::string_view ActivationTag(ActivationKind kind);  // "relu", "leaky_relu", ...
void CheckActivation(const ActivationConf& activation, Mistakes& mistakes);

Json ToJson(const ActivationConf& activation);  // {"type": "relu"}
// Reads the key `key` of `reader` when it is there; mistakes go to the reader.
void ReadActivation(JsonObjectReader& reader, std::string_view key, ActivationConf& out);

}  // namespace dl::nn
