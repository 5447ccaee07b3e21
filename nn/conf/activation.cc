#include "nn/conf/activation.h"

#include "nn/conf/type_shorthand.h"

namespace dl::nn {

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
  return "unknown";
}

void CheckActivation(const ActivationConf& activation, Mistakes& mistakes) {
  // A slope in [0, 1] keeps the function non-decreasing.
  if (activation.kind == ActivationKind::kLeakyRelu) {
    mistakes.Range("the leaky relu's alpha", activation.alpha, 0.0, 1.0);
  }
}

Json ToJson(const ActivationConf& activation) {
  Json json{{"type", ActivationTag(activation.kind)}};
  if (activation.kind == ActivationKind::kLeakyRelu) json["alpha"] = activation.alpha;
  return json;
}

void ReadActivation(JsonObjectReader& reader, std::string_view key, ActivationConf& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  const Json whole = TypeInFull(*json);
  JsonObjectReader nested(whole, reader.PathOf(key));
  std::string tag(ActivationTag(out.kind));
  nested.Require("type");
  nested.OneOf("type", tag, {"identity", "relu", "leaky_relu", "tanh", "sigmoid", "softmax"});
  for (ActivationConf candidate : {Identity(), Relu(), LeakyRelu(), Tanh(), Sigmoid(), Softmax()}) {
    if (ActivationTag(candidate.kind) == tag) out = candidate;
  }
  if (out.kind == ActivationKind::kLeakyRelu) nested.Double("alpha", out.alpha);
  reader.AddErrors(nested.Finish());
}

}  // namespace dl::nn
