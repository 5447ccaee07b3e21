// Activation functions as data; the engine holds the kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

enum class ActivationKind : uint8_t;  // nn/conf/kinds.h

struct ActivationConf {
  ActivationKind kind{};  // the identity
  double alpha = 0.01;    // leaky relu only: the slope left of 0
  bool operator==(const ActivationConf&) const = default;

  // A slope in [0, 1] keeps the function non-decreasing.
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

ActivationConf Identity();                                        // x
ActivationConf Relu();                                            // max(x, 0)
ActivationConf LeakyRelu(double alpha = ActivationConf().alpha);  // x > 0 ? x : alpha x
ActivationConf Tanh();
ActivationConf Sigmoid();  // 1 / (1 + exp(-x))
ActivationConf Softmax();  // over the features of a flat input

std::string_view ActivationTag(ActivationKind kind);  // "relu", "leaky_relu", ...
std::string_view TagOf(const ActivationConf& activation);
std::vector<ActivationConf> DefaultsOf(const ActivationConf*);
Json ToJson(const ActivationConf& activation);  // {"type": "relu"}
void ReadValue(JsonObjectReader& reader, std::string_view key, ActivationConf& out);
void CheckValue(const Field& field, const ActivationConf& activation, Mistakes& mistakes);
void DescribeValue(const Field& field, const ActivationConf& activation, std::vector<KeyRow>& rows);

}  // namespace dl::nn
