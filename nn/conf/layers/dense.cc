#include "nn/conf/layers/dense.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> Dense::OutputType(const InputType& input, Mistakes&) const {
  return input.WithRowsOf(units);
}

std::vector<ParameterConf> Dense::Parameters(const InputType& input,
                                             const WeightDefaults& defaults) const {
  return WeightAndBias({units, input.channels}, input.channels, units, defaults);
}

std::vector<LayerSample> Dense::Samples() {
  return {
      {Dense(3), FeedForward(4)},
      {Dense(1).Activation(Sigmoid()), FeedForward(1)},
      {Dense(7).Activation(Tanh()).WeightInit(He()).L2(0.01), FeedForward(5)},
      {Dense(6).Activation(Relu()).NoBias().WeightDecay(0.1).L1(0.02), FeedForward(9)},
      {Dense(4).Activation(Tanh()).WeightInit(Uniform(0.3)).LearningRateFactor(0.5),
       FeedForward(6)},
      {Dense(3).Activation(Tanh()).Frozen(), FeedForward(5)},
      {Dense(4).Activation(Tanh()).WeightConstraint(MaxNorm(0.5)), FeedForward(7)},
      {Dense(5).Activation(LeakyRelu(0.2)).WeightInit(Normal(0.5)), FeedForward(17)},
      {Dense(4).Activation(Softmax()).WeightInit(XavierNormal()), FeedForward(3)},
      {Dense(5).Activation(Tanh()), Sequence(4, 3)},
      {Dense(3).Activation(Softmax()), Sequence(2, 6)},
      {Dense(4).Activation(Tanh()).BiasInit(0.25), FeedForward(6)},
  };
}

}  // namespace dl::nn
