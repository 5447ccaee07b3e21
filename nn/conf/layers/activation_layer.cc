#include "nn/conf/layers/activation_layer.h"

#include "nn/conf/kinds.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> ActivationLayer::OutputType(const InputType& input,
                                                     Mistakes& mistakes) const {
  if (activation.kind == ActivationKind::kSoftmax && input.IsSpatial()) {
    mistakes.Add("softmax needs a flat input, but its input is " + Describe(input),
                 "Put a Flatten or a dense layer before it");
    return std::nullopt;
  }
  return input;
}

std::vector<LayerSample> ActivationLayer::Samples() {
  return {
      {ActivationLayer(Identity()), FeedForward(3)},
      {ActivationLayer(Relu()), Image(2, 3, 5)},
      {ActivationLayer(LeakyRelu(0.3)), FeedForward(9)},
      {ActivationLayer(LeakyRelu(0.2)), Volume(3, 2, 4, 3)},
      {ActivationLayer(Sigmoid()), Volume(2, 3, 2, 2)},
      {ActivationLayer(Tanh()), Image(3, 4, 4)},
      {ActivationLayer(Tanh()).Inputs({"input"}), FeedForward(2)},
      {ActivationLayer(Sigmoid()), FeedForward(8)},
      {ActivationLayer(Softmax()), FeedForward(6)},
      {ActivationLayer(Gelu()), Image(3, 4, 5)},
      {ActivationLayer(GeluTanh()), FeedForward(9)},
      {ActivationLayer(Silu()), Image(2, 5, 3)},
      {ActivationLayer(Mish()), FeedForward(9)},
      {ActivationLayer(Elu(0.7)), Image(3, 4, 4)},
      {ActivationLayer(Selu()), FeedForward(9)},
      {ActivationLayer(Softplus()), Image(3, 3, 4)},
      {ActivationLayer(Softsign()), FeedForward(9)},
      {ActivationLayer(HardSigmoid()), Image(2, 4, 4)},
      {ActivationLayer(HardSwish()), FeedForward(9)},
      {ActivationLayer(Relu6()), FeedForward(9)},
      {ActivationLayer(Softmax()), Sequence(3, 4)},
  };
}

}  // namespace dl::nn
