#include "tests/gradient/models.h"

#include <algorithm>

#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/conf/kinds.h"
#include "nn/conf/sequential.h"
#include "tests/gradient/building.h"

namespace dl::gradient {
namespace {

using namespace nn;  // NOLINT: this file is all builders

// Keeps the shape and mixes all values: a wrong input gradient of the next layer shows in its
// weights.
LayerConf TrainedLayerFor(const LayerSample& sample) {
  // A bias before batch normalization has no effect, so its gradient would be noise.
  const bool bias = !std::holds_alternative<BatchNorm>(sample.layer) &&
                    !std::holds_alternative<InstanceNorm>(sample.layer);
  if (sample.input.IsImage()) {
    Conv2D conv = Conv2D(sample.input.channels).Kernel(3).Padding(1);
    return bias ? conv : conv.NoBias();
  }
  if (sample.input.IsVolume()) {
    Conv3D conv = Conv3D(sample.input.channels).Kernel(3).Padding(1);
    return bias ? conv : conv.NoBias();
  }
  Dense dense(sample.input.channels);
  return bias ? dense : dense.NoBias();
}

ModelConfig Finish(Sequential sequential, const LayerSample& sample,
                   std::vector<std::string> inputs = {}) {
  LayerConf layer = sample.layer;
  if (!inputs.empty()) SetInputs(layer, std::move(inputs));
  sequential.Layer(std::move(layer));
  if (!EndsModel(sample.layer)) {
    sequential.Layer(Output(3).Loss(SoftmaxCrossEntropy()));
  }
  return Build(sequential);
}

const std::vector<ActivationConf>& Activations() {
  static const std::vector<ActivationConf> all = {
      Identity(), Relu(),     LeakyRelu(0.2), Tanh(),      Sigmoid(), Softmax(),
      Gelu(),     GeluTanh(), Silu(),         Mish(),      Elu(0.7),  Selu(),
      Softplus(), Softsign(), HardSigmoid(),  HardSwish(), Relu6()};
  return all;
}

}  // namespace

std::vector<NamedModel> SampleModels() {
  std::vector<NamedModel> models;
  for (const LayerType& type : LayerTypes()) {
    const std::vector<LayerSample> samples = type.samples();
    EXPECT_FALSE(samples.empty()) << "layer type " << type.tag << " has no samples";
    for (const LayerSample& sample : samples) {
      const std::string name = ToJson(sample.layer).dump() + " of " + Describe(sample.input);
      // A loss layer has nothing to train by itself.
      if (!std::holds_alternative<LossLayer>(sample.layer))
        models.push_back({name, Finish(Start(sample.input), sample)});
      // A layer that reads indices can only follow the input.
      if (NeedsOf(sample.layer) == InputNeed::kIndices) continue;
      // If the layer has several inputs, each comes from another layer.
      Sequential behind = Start(sample.input);
      std::vector<std::string> names;
      const size_t inputs = std::max<size_t>(1, InputsOf(sample.layer).size());
      for (size_t i = 0; i < inputs; ++i) {
        LayerConf trained = TrainedLayerFor(sample);
        SetName(trained, "trained" + std::to_string(i));
        SetInputs(trained, {std::string(kInputName)});
        behind.Layer(std::move(trained));
        names.push_back("trained" + std::to_string(i));
      }
      models.push_back({name + " behind trained layers", Finish(behind, sample, names)});
    }
  }
  return models;
}

std::vector<NamedModel> SmallNetworks() {
  std::vector<NamedModel> models;
  for (const ActivationConf& activation : Activations()) {
    const std::string tag(ActivationTag(activation.kind));
    models.push_back({"mlp of " + tag, Build(Start(FeedForward(6))
                                                 .Layer(Dense(9).Activation(activation))
                                                 .Layer(Dense(7).Activation(activation))
                                                 .Layer(Output(4).Loss(SoftmaxCrossEntropy())))});
    models.push_back(
        {"squared error of " + tag,
         Build(Start(FeedForward(6))
                   .Layer(Dense(5).Activation(Tanh()))
                   .Layer(Output(3).Activation(activation).Loss(MeanSquaredError())))});
    if (activation.kind == ActivationKind::kSoftmax) continue;
    models.push_back({tag + " and both poolings",
                      Build(Start(Image(2, 9, 8))
                                .Layer(Conv2D(4).Kernel(3).Padding(1).Activation(activation))
                                .Layer(MaxPool2D(3).Stride(2).Padding(1))
                                .Layer(Conv2D(3).Kernel(2).Activation(activation))
                                .Layer(AvgPool2D(2).Stride(1).Padding(1))
                                .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  }
  models.push_back(
      {"rectifiers with learned slopes", Build(Start(Image(2, 7, 6))
                                                   .Layer(Conv2D(5).Kernel(3).Padding(1))
                                                   .Layer(PRelu())
                                                   .Layer(MaxPool2D(2))
                                                   .Layer(Conv2D(4).Kernel(2))
                                                   .Layer(PRelu().Shared().Slope(-0.3))
                                                   .Layer(Dense(6))
                                                   .Layer(PRelu())
                                                   .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back(
      {"dropout everywhere", Build(Start(Image(2, 6, 6))
                                       .Layer(Dropout(0.1))
                                       .Layer(Conv2D(4).Kernel(3))
                                       .Layer(Dropout(0.3))
                                       .Layer(ActivationLayer(Tanh()))
                                       .Layer(Dense(8).Activation(Sigmoid()))
                                       .Layer(Dropout(0.5))
                                       .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"volumes, normalized and joined",
                    Build(Start(Volume(2, 3, 4, 5))
                              .Layer(Conv3D(4).Kernel(3).Padding(1).NoBias())
                              .Layer(BatchNorm())
                              .Layer(ActivationLayer(Tanh()).Name("wide"))
                              .Layer(MaxPool3D(2, 1, 2).Stride(1).SamePadding())
                              .Layer(SpatialDropout(0.2))
                              .Layer(Conv3D(4).Kernel(1, 3, 3).Padding(0, 1, 1).Groups(2))
                              .Layer(GroupNorm(2).Name("deep"))
                              .Layer(Add().Inputs({"wide", "deep"}).Name("sum"))
                              .Layer(Concat().Inputs({"sum", "wide"}))
                              .Layer(PRelu())
                              .Layer(AvgPool3D(2, 3, 2).Stride(1))
                              .Layer(Conv3D(5).Kernel(2).Activation(Sigmoid()))
                              .Layer(GlobalAvgPool3D())
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"batch normalization of images and features",
                    Build(Start(Image(1, 8, 8))
                              .Layer(Conv2D(4).Kernel(3).Stride(2).NoBias())
                              .Layer(BatchNorm())
                              .Layer(ActivationLayer(Relu()))
                              .Layer(Flatten())
                              .Layer(Dense(6).NoBias())
                              .Layer(BatchNorm().Epsilon(1e-3))
                              .Layer(ActivationLayer(Softmax()))
                              .Layer(Output(2).Loss(MeanSquaredError())))});
  return models;
}

std::vector<NamedModel> SequenceNetworks() {
  std::vector<NamedModel> models;
  models.push_back(
      {"a transformer's block", Build(Start(Sequence(5, 1))
                                          .Layer(Embedding(7, 6))
                                          .Layer(PositionalEmbedding().Name("x"))
                                          .Layer(LayerNorm())
                                          .Layer(SelfAttention(2).Causal().Name("attention"))
                                          .Layer(Add().Inputs({"x", "attention"}).Name("y"))
                                          .Layer(LayerNorm())
                                          .Layer(Dense(9).Activation(Tanh()))
                                          .Layer(Dropout(0.2))
                                          .Layer(Dense(6).Name("mlp"))
                                          .Layer(Add().Inputs({"y", "mlp"}))
                                          .Layer(LayerNorm())
                                          .Layer(Output(7).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"recurrent layers on top of one another",
                    Build(Start(Sequence(6, 1))
                              .Layer(Embedding(5, 4))
                              .Layer(Lstm(7))
                              .Layer(Dropout(0.3))
                              .Layer(Lstm(5).ForgetBias(0))
                              .Layer(Output(5).Loss(SoftmaxCrossEntropy())))});
  models.push_back(
      {"sequences that become one row", Build(Start(Sequence(4, 3))
                                                  .Layer(Lstm(5).Name("states"))
                                                  .Layer(LastStep().Name("last"))
                                                  .Layer(Flatten().Inputs({"states"}).Name("all"))
                                                  .Layer(Concat().Inputs({"last", "all"}))
                                                  .Layer(Output(2).Loss(MeanSquaredError())))});
  models.push_back({"rows that become sequences and images, and what is between them",
                    Build(Start(Sequence(4, 6))
                              .Layer(Dense(6).Name("steps"))
                              .Layer(Reshape(Image(2, 3, 4)))
                              .Layer(Conv2D(5).Padding(1))
                              .Layer(ScaleShift().Factor(-1.5).Shift(0.3).Name("image"))
                              .Layer(Subset(1, 3))
                              .Layer(Flatten())
                              .Layer(L2Normalize())
                              .Layer(Repeat(4))
                              .Layer(Gru(6).Name("states"))
                              .Layer(Add().Inputs({"states", "steps"}))
                              .Layer(Subset(2, 5))
                              .Layer(Reshape(Sequence(8, 2)))
                              .Layer(L2Normalize().Epsilon(0.01))
                              .Layer(Flatten().Name("left"))
                              .Layer(Reshape(FeedForward(60)).Inputs({"image"}))
                              .Layer(Concat().Inputs({"left", "reshape3"}))
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"groups that are normalized, axes that change places, kinds of dropout",
                    Build(Start(Image(3, 4, 5))
                              .Layer(Conv2D(6).Padding(1))
                              .Layer(GroupNorm(3).Name("grouped"))
                              .Layer(SpatialDropout(0.3))
                              .Layer(Conv2D(4).Padding(1).Activation(Tanh()))
                              .Layer(InstanceNorm())
                              .Layer(Permute({2, 3, 1}))
                              .Layer(Reshape(Sequence(10, 8)))
                              .Layer(Permute({2, 1}).Name("turned"))
                              .Layer(SpatialDropout(0.25))
                              .Layer(Dense(7).Activation(Selu()))
                              .Layer(AlphaDropout(0.2))
                              .Layer(Gru(5).LastState())
                              .Layer(GaussianDropout(0.3))
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"recurrent layers of every kind, both ways",
                    Build(Start(Sequence(5, 3))
                              .Layer(SimpleRnn(4).Bidirectional().Name("rnn"))
                              .Layer(RmsNorm())
                              .Layer(Gru(5).Backward())
                              .Layer(Lstm(3).Bidirectional(StateMerge::kProduct).Name("lstm"))
                              .Layer(Gru(4).ResetBefore().Inputs({"rnn"}).Name("gru"))
                              .Layer(Concat().Inputs({"gru", "lstm", "rnn"}))
                              .Layer(Gru(3).Bidirectional(StateMerge::kSum).LastState())
                              .Layer(RmsNorm().Epsilon(1e-3))
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back(
      {"recurrent layers that drop states, with shared weights",
       Build(Start(Sequence(5, 3))
                 .Layer(Gru(4).RecurrentDropout(0.3).Name("first"))
                 .Layer(Lstm(3).Bidirectional().RecurrentDropout(0.4).Name("lstm"))
                 .Layer(Gru(4).RecurrentDropout(0.3).WeightsOf("first").Inputs({"input"}).Name(
                     "again"))
                 .Layer(Concat().Inputs({"lstm", "again"}))
                 .Layer(Gru(3).ResetBefore().Bidirectional().RecurrentDropout(0.5))
                 .Layer(SimpleRnn(5).RecurrentDropout(0.25).LastState())
                 .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  return models;
}

std::vector<NamedModel> LargeNetworks() {
  return {
      {"lenet-5", Build(Start(Image(1, 28, 28))
                            .Layer(Conv2D(20).Kernel(5).Activation(Tanh()))
                            .Layer(MaxPool2D(2))
                            .Layer(Conv2D(50).Kernel(5).Activation(Tanh()))
                            .Layer(MaxPool2D(2))
                            .Layer(Dense(100).Activation(Tanh()))
                            .Layer(Output(10).Loss(SoftmaxCrossEntropy())))},
      {"cnn", Build(Start(Image(3, 14, 14))
                        .WeightInit(He())
                        .Layer(Conv2D(16).Kernel(3).Padding(1).NoBias())
                        .Layer(BatchNorm())
                        .Layer(ActivationLayer(Relu()))
                        .Layer(MaxPool2D(2))
                        .Layer(Dropout(0.25))
                        .Layer(Conv2D(32).Kernel(3).Groups(2).Padding(1).Activation(LeakyRelu()))
                        .Layer(BatchNorm())
                        .Layer(Conv2D(24).Kernel(3).Stride(2).Activation(Relu()))
                        .Layer(AvgPool2D(3).Stride(1).Padding(1))
                        .Layer(Dense(33).Activation(Relu()))
                        .Layer(Dropout(0.5))
                        .Layer(Output(10).Loss(SoftmaxCrossEntropy())))},
  };
}

bool HasBatchNorm(const ModelConfig& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const LayerConfig& layer) {
    return std::holds_alternative<BatchNorm>(layer.conf);
  });
}

}  // namespace dl::gradient
