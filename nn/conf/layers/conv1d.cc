#include "nn/conf/layers/conv1d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

Conv2D Conv1D::As2D() const {
  Conv2D conv(filters);
  conv.window = window.As2D();
  conv.groups = groups;
  conv.bias = bias;
  conv.activation = activation;
  return conv;
}

void Conv1D::Check(Mistakes& mistakes) const {
  As2D().Check(mistakes);
  CheckBias(mistakes);
  if (causal && window.padding != Padding1D()) {
    mistakes.Add("has both causal and padding", "Leave out one of them");
  }
}

std::optional<InputType> Conv1D::OutputType(const InputType& input, Mistakes& mistakes) const {
  InputType padded = AsImage(input);
  padded.height += StepsInFront();
  const std::optional<InputType> output = As2D().OutputType(padded, mistakes);
  if (!output) return std::nullopt;
  return window.OutputOf(input, StepsInFront(), output->height, filters);
}

std::vector<ParameterConf> Conv1D::Parameters(const InputType& input,
                                              const WeightDefaults& defaults) const {
  const int64_t taps = window.kernel.steps, features = input.channels / groups;
  return WeightAndBias({filters, features, taps}, /*fan_in=*/features * taps,
                       /*fan_out=*/filters / groups * taps, defaults);
}

std::vector<LayerSample> Conv1D::Samples() {
  return {
      {Conv1D(4), Sequence(6, 3)},
      {Conv1D(3).Kernel(4).Stride(3).Padding(2).Activation(Tanh()), Sequence(9, 2)},
      {Conv1D(6).Kernel(2).Groups(2).Dilation(3).NoBias(), Sequence(7, 4)},
      {Conv1D(5).Kernel(3).SamePadding().Stride(2).Activation(Relu()), Sequence(8, 17)},
      {Conv1D(4).Kernel(3).Dilation(2).Causal().Activation(Sigmoid()), Sequence(5, 3)},
      {Conv1D(2).Kernel(2).Causal().L1(0.01).L2(0.001).WeightDecay(0.01).LearningRateFactor(2),
       Sequence(4, 2)},
      {Conv1D(3).Kernel(1).Frozen().WeightInit(He()), Sequence(3, 2)},
      {Conv1D(4).Kernel(2).WeightConstraint(MaxNorm(0.4)), Sequence(5, 3)},
      {Conv1D(3).Kernel(2).BiasInit(0.25), Sequence(4, 3)},
  };
}

}  // namespace dl::nn
