#include "nn/conf/layers/output.h"

#include "nn/conf/kinds.h"
#include "nn/conf/layers/registry.h"

namespace dl::nn {

void Output::Check(Mistakes& mistakes) const {
  if (loss.kind == LossKind::kSoftmaxCrossEntropy && activation.kind != ActivationKind::kIdentity) {
    mistakes.Add(std::string("the activation is ") + std::string(ActivationTag(activation.kind)) +
                     ", but softmax is part of the loss softmax_cross_entropy",
                 "Leave the activation out");
  }
  if (loss.kind == LossKind::kSoftmaxCrossEntropy && units == 1) {
    mistakes.Add("softmax_cross_entropy over one class is always 0",
                 "Use one unit per class, or the loss mean_squared_error");
  }
}

std::optional<InputType> Output::OutputType(const InputType&, Mistakes&) const {
  return FeedForward(units);
}

std::vector<ParameterConf> Output::Parameters(const InputType& input,
                                              const WeightDefaults& defaults) const {
  return WeightAndBias({units, input.Elements()}, input.Elements(), units, defaults);
}

std::vector<LayerSample> Output::Samples() {
  return {
      {Output(3).Loss(SoftmaxCrossEntropy()), FeedForward(4)},
      {Output(10).Loss(SoftmaxCrossEntropy()).NoBias(), FeedForward(7)},
      {Output(1).Loss(MeanSquaredError()), FeedForward(5)},
      {Output(4).Loss(MeanSquaredError()).Activation(Sigmoid()), FeedForward(3)},
      {Output(2)
           .Loss(MeanSquaredError())
           .Activation(Tanh())
           .WeightInit(He())
           .L2(0.01)
           .WeightDecay(0.1),
       FeedForward(6)},
  };
}

}  // namespace dl::nn
