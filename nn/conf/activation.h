// Activation functions as data. The engine holds their kernels.
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
  ActivationKind kind{};  // identity
  // leaky_relu: slope for x < 0, 0 to 1, default 0.01. elu: limit is -alpha, 0 to 1e6, default 1.
  double alpha = 0.01;
  bool operator==(const ActivationConf&) const = default;

  // A slope in [0, 1] keeps leaky_relu non-decreasing.
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

ActivationConf Identity();                                        // x
ActivationConf Relu();                                            // max(x, 0)
ActivationConf LeakyRelu(double alpha = ActivationConf().alpha);  // x > 0 ? x : alpha x
ActivationConf Tanh();
ActivationConf Sigmoid();  // 1 / (1 + exp(-x))
ActivationConf Softmax();  // over the features of a flat input, or of each step of a sequence
// gelu: x P(X <= x) with X of N(0, 1). gelu_tanh: its approximation x sigmoid(2 sqrt(2 / pi) (x +
// 0.044715 x^3)), which equals the form with tanh. Hendrycks, Gimpel, arXiv:1606.08415.
ActivationConf Gelu();
ActivationConf GeluTanh();
ActivationConf Silu();  // x sigmoid(x); "swish": Ramachandran, Zoph, Le, arXiv:1710.05941
ActivationConf Mish();  // x tanh(log(1 + exp(x))): Misra, BMVC 2020
// x > 0 ? x : alpha (exp(x) - 1). Clevert, Unterthiner, Hochreiter, ICLR 2016.
ActivationConf Elu(double alpha = 1);
// 1.0507 times elu with alpha = 1.67326. Klambauer et al., NIPS 2017, equation 2.
ActivationConf Selu();
ActivationConf Softplus();  // log(1 + exp(x))
ActivationConf Softsign();  // x / (1 + |x|)
// hard_sigmoid: x / 6 + 1/2, limited to [0, 1]. hard_swish: x times hard_sigmoid(x). Howard et al.,
// "Searching for MobileNetV3", ICCV 2019, as in PyTorch.
ActivationConf HardSigmoid();
ActivationConf HardSwish();
ActivationConf Relu6();  // min(max(x, 0), 6)

// Properties of a function that the engine and the memory estimate use.
struct ActivationTraits {
  bool keeps_zero = true;  // f(0) = 0 for each value alone: padding stays 0 in every layout
  bool is_non_decreasing = true;
  bool needs_input = false;  // the derivative cannot be computed from f(x) alone
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
