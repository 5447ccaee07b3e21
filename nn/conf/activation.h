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
  double alpha = 0.01;    // leaky relu: the slope left of 0; elu (1 by default): how deep it goes
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
// x P(X <= x), X of N(0, 1), and its approximation x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)),
// which is that with a tanh: Hendrycks, Gimpel, arXiv:1606.08415.
ActivationConf Gelu();
ActivationConf GeluTanh();
ActivationConf Silu();  // x sigmoid(x); "swish": Ramachandran, Zoph, Le, arXiv:1710.05941
ActivationConf Mish();  // x tanh(log(1 + exp(x))): Misra, BMVC 2020
// x > 0 ? x : alpha (exp(x) - 1): Clevert, Unterthiner, Hochreiter, ICLR 2016.
ActivationConf Elu(double alpha = 1);
// 1.0507 times elu of 1.67326: Klambauer et al., NIPS 2017, equation 2.
ActivationConf Selu();
ActivationConf Softplus();  // log(1 + exp(x))
ActivationConf Softsign();  // x / (1 + |x|)
// x / 6 + 1/2 within [0, 1], and x times it: Howard et al., "Searching for MobileNetV3", ICCV 2019,
// as PyTorch has both.
ActivationConf HardSigmoid();
ActivationConf HardSwish();
ActivationConf Relu6();  // min(max(x, 0), 6)

// What the engine and its memory go by.
struct ActivationTraits {
  bool keeps_zero = true;  // f(0) = 0, value by value: padding stays 0 in every layout
  bool is_non_decreasing = true;
  bool needs_input = false;  // its derivative does not follow from what it gives
};
ActivationTraits TraitsOf(const ActivationConf& activation);

std::string_view ActivationTag(ActivationKind kind);  // "relu", "leaky_relu", ...
std::string_view TagOf(const ActivationConf& activation);
std::vector<ActivationConf> DefaultsOf(const ActivationConf*);
Json ToJson(const ActivationConf& activation);  // {"type": "relu"}
void ReadValue(JsonObjectReader& reader, std::string_view key, ActivationConf& out);
void CheckValue(const Field& field, const ActivationConf& activation, Mistakes& mistakes);
void DescribeValue(const Field& field, const ActivationConf& activation, std::vector<KeyRow>& rows);

}  // namespace dl::nn
