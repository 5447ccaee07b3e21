#include "nn/conf/activation.h"

#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {

template <typename Self, typename Visit>
void ActivationConf::Fields(Self& self, Visit&& visit) {
  if (self.kind != ActivationKind::kLeakyRelu) return;
  visit(
      Field{
          .key = "alpha", .what = "the leaky relu's alpha", .max = 1, .meaning = "Slope left of 0"},
      self.alpha);
}

ActivationConf Identity() { return {ActivationKind::kIdentity}; }
ActivationConf Relu() { return {ActivationKind::kRelu}; }
ActivationConf LeakyRelu(double alpha) { return {ActivationKind::kLeakyRelu, alpha}; }
ActivationConf Tanh() { return {ActivationKind::kTanh}; }
ActivationConf Sigmoid() { return {ActivationKind::kSigmoid}; }
ActivationConf Softmax() { return {ActivationKind::kSoftmax}; }

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
  }
  return kNoTag;
}

std::string_view TagOf(const ActivationConf& activation) { return ActivationTag(activation.kind); }

std::vector<ActivationConf> DefaultsOf(const ActivationConf*) {
  std::vector<ActivationConf> defaults;
  for (const ActivationKind kind : AllKinds(ActivationTag)) defaults.push_back({kind});
  return defaults;
}

Json ToJson(const ActivationConf& activation) { return TypedToJson(activation); }

void ReadValue(JsonObjectReader& reader, std::string_view key, ActivationConf& out) {
  ReadTyped(reader, key, out);
}

void CheckValue(const Field&, const ActivationConf& activation, Mistakes& mistakes) {
  CheckFields(activation, mistakes);
}

void DescribeValue(const Field& field, const ActivationConf& activation,
                   std::vector<KeyRow>& rows) {
  DescribeTyped(field, activation, "Name of the function", rows);
}

}  // namespace dl::nn
