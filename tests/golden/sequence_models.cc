#include "tests/golden/sequence_models.h"

#include <utility>

#include "nn/conf/sequential.h"
#include "tests/golden/kernel_network.h"

namespace dl::test {

using namespace nn;  // NOLINT: most of this file is builders

ModelConfig Recurrent(int64_t steps, int64_t units) {
  return End(Start(Sequence(steps, 1)).Layer(Embedding(50, 40)).Layer(Lstm(units)), 50);
}

ModelConfig Recurrent(int64_t steps, LayerConf layer) {
  return End(
      Start(Sequence(steps, 1)).Layer(Embedding(50, 40)).Layer(std::move(layer)).Layer(RmsNorm()),
      50);
}

ModelConfig DroppingStates() {
  return End(Start(Sequence(11, 13))
                 .Layer(Lstm(37).Bidirectional().RecurrentDropout(0.3))
                 .Layer(Gru(20).RecurrentDropout(0.25))
                 .Layer(Gru(18).ResetBefore().RecurrentDropout(0.5))
                 .Layer(SimpleRnn(21).RecurrentDropout(0.1).Backward()));
}

ModelConfig Transformer(int64_t steps, int64_t width, int64_t heads) {
  return End(Start(Sequence(steps, width))
                 .Layer(PositionalEmbedding().Name("x"))
                 .Layer(LayerNorm())
                 .Layer(SelfAttention(heads).Causal().Name("attention"))
                 .Layer(nn::Add().Inputs({"x", "attention"}))
                 .Layer(LayerNorm())
                 .Layer(Dense(2 * width).Activation(Tanh())));
}

ModelConfig Encoder() {
  return End(Start(VariableSequence(40, 30))
                 .Layer(PositionalEmbedding().Name("x"))
                 .Layer(SelfAttention(3).Name("attention"))
                 .Layer(nn::Add().Inputs({"x", "attention"}))
                 .Layer(LayerNorm())
                 .Layer(Dense(50).Activation(Gelu())));
}

ModelConfig Decoder() {
  return End(Sequential("decoder")
                 .Seed(3)
                 .Input("asks", Sequence(9, 24))
                 .Input("answers", Sequence(14, 24))
                 .Layer(Dense(40).Activation(Tanh()).Inputs({"asks"}).Name("asked"))
                 .Layer(Dense(40).Inputs({"answers"}).WeightsOf("asked").Name("memory"))
                 .Layer(CrossAttention(4).Inputs({"asked", "memory"})));
}

ModelConfig DroppingAttention() {
  return End(Sequential("attention")
                 .Seed(3)
                 .Input("asks", Sequence(9, 24))
                 .Input("answers", Sequence(14, 24))
                 .Layer(Dense(40).Activation(Tanh()).Inputs({"asks"}).Name("asked"))
                 .Layer(SelfAttention(4).Causal().DropWeights(0.2).Name("asking"))
                 .Layer(Dense(40).Inputs({"answers"}).Name("memory"))
                 .Layer(CrossAttention(4).DropWeights(0.3).Inputs({"asking", "memory"})));
}

ModelConfig OverSteps() {
  return End(Start(Sequence(23, 11))
                 .Layer(Conv1D(36).Kernel(5).SamePadding().Activation(Relu()))
                 .Layer(MaxPool1D(3).Stride(2))
                 .Layer(Conv1D(20).Kernel(3).Dilation(2).Causal().Activation(Tanh()).Name("c"))
                 .Layer(AvgPool1D(2))
                 .Layer(GlobalAvgPool1D().Name("mean"))
                 .Layer(GlobalMaxPool1D().Inputs({"c"}).Name("largest"))
                 .Layer(Concat().Inputs({"mean", "largest"})));
}

ModelConfig OverRealSteps() {
  return End(
      Start(VariableSequence(23, 11))
          .Layer(Conv1D(36).Kernel(5).SamePadding())
          .Layer(BatchNorm())
          .Layer(ActivationLayer(Tanh()).Name("a"))
          .Layer(MaxPool1D(3).Stride(1).Padding(1).Name("largest"))
          .Layer(AvgPool1D(4).Stride(1).SamePadding().Inputs({"a"}).Name("mean"))
          .Layer(AvgPool1D(3).Stride(1).SamePadding().CountPadding().Inputs({"a"}).Name("all"))
          .Layer(Concat().Inputs({"largest", "mean", "all"}))
          .Layer(BatchNorm())
          .Layer(Dense(20).Activation(Tanh()))
          .Layer(GlobalAvgPool1D()));
}

}  // namespace dl::test
