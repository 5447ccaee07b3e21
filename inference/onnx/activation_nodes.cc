#include "inference/onnx/activation_nodes.h"

#include <utility>
#include <vector>

#include "nn/conf/kinds.h"

namespace dl::inference {
namespace {

class ActivationWriter {
 public:
  explicit ActivationWriter(OnnxGraph& graph) : graph_(graph) {}

  std::string Op(std::string_view op, std::vector<std::string> inputs,
                 OnnxAttributes attributes = {}) {
    return graph_.Add({.op = op, .inputs = std::move(inputs), .attributes = std::move(attributes)});
  }
  std::string Times(const std::string& x, float factor) {
    return Op("Mul", {x, graph_.Scalar(factor)});
  }
  std::string Plus(const std::string& x, float term) { return Op("Add", {x, graph_.Scalar(term)}); }

  std::string Gelu(const std::string& x) {  // x/2 (1 + erf(x / sqrt(2)))
    constexpr float kRootOfHalf = 0.70710678118654752440f;
    return Op("Mul", {Times(x, 0.5f), Plus(Op("Erf", {Times(x, kRootOfHalf)}), 1)});
  }
  std::string GeluTanh(const std::string& x) {
    constexpr float kOuter = 1.5957691216057307118f;  // 2 sqrt(2 / pi)
    constexpr float kInner = 0.044715f;
    const std::string cube = Op("Mul", {x, Op("Mul", {x, x})});
    const std::string inner = Times(Op("Add", {x, Times(cube, kInner)}), kOuter);
    return Op("Mul", {x, Op("Sigmoid", {inner})});
  }

 private:
  OnnxGraph& graph_;
};

}  // namespace

std::string WriteActivation(const nn::ActivationConf& activation, const std::string& x,
                            OnnxGraph& graph) {
  using Kind = nn::ActivationKind;
  ActivationWriter write(graph);
  const auto alpha = static_cast<float>(activation.alpha);
  switch (activation.kind) {
    case Kind::kIdentity:
      return x;
    case Kind::kRelu:
      return write.Op("Relu", {x});
    case Kind::kLeakyRelu:
      return write.Op("LeakyRelu", {x}, {{"alpha", alpha}});
    case Kind::kTanh:
      return write.Op("Tanh", {x});
    case Kind::kSigmoid:
      return write.Op("Sigmoid", {x});
    case Kind::kSoftmax:
      return write.Op("Softmax", {x}, {{"axis", int64_t{-1}}});
    case Kind::kGelu:
      return write.Gelu(x);
    case Kind::kGeluTanh:
      return write.GeluTanh(x);
    case Kind::kSilu:
      return write.Op("Mul", {x, write.Op("Sigmoid", {x})});
    case Kind::kMish:
      return write.Op("Mul", {x, write.Op("Tanh", {write.Op("Softplus", {x})})});
    case Kind::kElu:
      return write.Op("Elu", {x}, {{"alpha", alpha}});
    case Kind::kSelu:  // the operator's default constants are those of the paper
      return write.Op("Selu", {x});
    case Kind::kSoftplus:
      return write.Op("Softplus", {x});
    case Kind::kSoftsign:
      return write.Op("Softsign", {x});
    case Kind::kHardSigmoid:
      return write.Op("HardSigmoid", {x}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
    case Kind::kHardSwish:
      return write.Op("HardSwish", {x});
    case Kind::kRelu6:
      return write.Op("Clip", {x, graph.Scalar(0), graph.Scalar(6)});
  }
  return x;
}

}  // namespace dl::inference
