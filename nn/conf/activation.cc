#include "nn/conf/activation.h"

#include "base/limits.h"
#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {

template <typename Self, typename Visit>
void ActivationConf::Fields(Self& self, Visit&& visit) {
  const bool leaky = self.kind == ActivationKind::kLeakyRelu;
  if (!leaky && self.kind != ActivationKind::kElu) return;
  visit(Field{.key = "alpha",
              .what = leaky ? "the leaky relu's alpha" : "the elu's alpha",
              .max = leaky ? 1.0 : limits::kMaxCoefficient,
              .meaning = "leaky_relu: slope for negative inputs, at most 1, default 0.01. elu: "
                         "magnitude of the negative limit, default 1"},
        self.alpha);
}

ActivationConf Identity() { return {ActivationKind::kIdentity}; }
ActivationConf Relu() { return {ActivationKind::kRelu}; }
ActivationConf LeakyRelu(double alpha) { return {ActivationKind::kLeakyRelu, alpha}; }
ActivationConf Tanh() { return {ActivationKind::kTanh}; }
ActivationConf Sigmoid() { return {ActivationKind::kSigmoid}; }
ActivationConf Softmax() { return {ActivationKind::kSoftmax}; }
ActivationConf Gelu() { return {ActivationKind::kGelu}; }
ActivationConf GeluTanh() { return {ActivationKind::kGeluTanh}; }
ActivationConf Silu() { return {ActivationKind::kSilu}; }
ActivationConf Mish() { return {ActivationKind::kMish}; }
ActivationConf Elu(double alpha) { return {ActivationKind::kElu, alpha}; }
ActivationConf Selu() { return {ActivationKind::kSelu}; }
ActivationConf Softplus() { return {ActivationKind::kSoftplus}; }
ActivationConf Softsign() { return {ActivationKind::kSoftsign}; }
ActivationConf HardSigmoid() { return {ActivationKind::kHardSigmoid}; }
ActivationConf HardSwish() { return {ActivationKind::kHardSwish}; }
ActivationConf Relu6() { return {ActivationKind::kRelu6}; }

ActivationTraits TraitsOf(const ActivationConf& activation) {
  switch (activation.kind) {
    case ActivationKind::kIdentity:
    case ActivationKind::kRelu:
    case ActivationKind::kLeakyRelu:
    case ActivationKind::kTanh:
    case ActivationKind::kElu:
    case ActivationKind::kSelu:
    case ActivationKind::kSoftsign:
    case ActivationKind::kRelu6:
      return {};
    case ActivationKind::kSigmoid:
    case ActivationKind::kSoftplus:
    case ActivationKind::kHardSigmoid:
      return {.keeps_zero = false};
    case ActivationKind::kSoftmax:  // acts on whole rows
      return {.keeps_zero = false, .is_non_decreasing = false};
    case ActivationKind::kGelu:
    case ActivationKind::kGeluTanh:
    case ActivationKind::kSilu:
    case ActivationKind::kMish:
    case ActivationKind::kHardSwish:
      return {.is_non_decreasing = false, .needs_input = true};
  }
  return {.keeps_zero = false, .is_non_decreasing = false, .needs_input = true};
}

std::string_view ActivationTag(ActivationKind kind) {
  switch (kind) {
    case ActivationKind::kIdentity:
      return "identity";
    case ActivationKind::kRelu:
      return "relu";
    case ActivationKind::kLeakyRelu:
      return "leaky_relu";
    case ActivationKind::kTanh:
      return "tanh";
    case ActivationKind::kSigmoid:
      return "sigmoid";
    case ActivationKind::kSoftmax:
      return "softmax";
    case ActivationKind::kGelu:
      return "gelu";
    case ActivationKind::kGeluTanh:
      return "gelu_tanh";
    case ActivationKind::kSilu:
      return "silu";
    case ActivationKind::kMish:
      return "mish";
    case ActivationKind::kElu:
      return "elu";
    case ActivationKind::kSelu:
      return "selu";
    case ActivationKind::kSoftplus:
      return "softplus";
    case ActivationKind::kSoftsign:
      return "softsign";
    case ActivationKind::kHardSigmoid:
      return "hard_sigmoid";
    case ActivationKind::kHardSwish:
      return "hard_swish";
    case ActivationKind::kRelu6:
      return "relu6";
  }
  return kNoTag;
}

std::string_view TagOf(const ActivationConf& activation) { return ActivationTag(activation.kind); }

std::vector<ActivationConf> DefaultsOf(const ActivationConf*) {
  std::vector<ActivationConf> defaults;
  for (const ActivationKind kind : AllKinds(ActivationTag))
    defaults.push_back(kind == ActivationKind::kElu ? Elu() : ActivationConf{kind});
  return defaults;
}

Json ToJson(const ActivationConf& activation) { return TypedToJson(activation); }

void ReadValue(JsonObjectReader& reader, std::string_view key, ActivationConf& out) {
  ReadTyped(reader, key, out);
}

void CheckValue(const Field&, const ActivationConf& activation, Mistakes& mistakes) {
  CheckFields(MembersOf(activation), mistakes);
}

void DescribeValue(const Field& field, const ActivationConf& activation,
                   std::vector<KeyRow>& rows) {
  DescribeTyped(field, activation, "Name of the function", rows);
}

}  // namespace dl::nn
