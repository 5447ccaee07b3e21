// Models whose layers read several values, share weights, or have losses without an output layer's
// product.
#include "tests/gradient/building.h"
#include "tests/gradient/models.h"

namespace dl::gradient {

using namespace nn;  // NOLINT: this file is all builders

namespace {

// Losses that read a layer's result directly. Their own functions are computed in place.
std::vector<NamedModel> JudgedAsTheyAre() {
  std::vector<NamedModel> models;
  for (const LossConf& loss : {LossConf(SoftmaxCrossEntropy()), LossConf(BinaryCrossEntropy()),
                               LossConf(MeanSquaredError())}) {
    const std::string tag(TagOf(loss));
    models.push_back(
        {tag + " of what a layer keeps", Build(Start(FeedForward(5))
                                                   .Layer(Dense(4).Activation(Tanh()).Name("kept"))
                                                   .Layer(Dense(4).Activation(Sigmoid()))
                                                   .Layer(Multiply().Inputs({"kept", "dense1"}))
                                                   .Layer(ActivationLayer(Tanh()))
                                                   .Layer(LossLayer(loss)))});
    models.push_back(
        {tag + " of a layer that two read", Build(Start(FeedForward(5))
                                                      .Layer(Dense(4).Activation(Tanh()).Name("a"))
                                                      .Layer(Add().Inputs({"a", "a"}))
                                                      .Layer(LossLayer(loss)))});
  }
  models.push_back({"an image compared with itself",
                    Build(Start(Image(2, 6, 6))
                              .Layer(Conv2D(20).Kernel(3).Padding(1).Activation(Tanh()))
                              .Layer(Conv2D(2).Kernel(3).Padding(1).Activation(Sigmoid()))
                              .Layer(LossLayer(MeanSquaredError()).ComparedWithInput()))});
  return models;
}

}  // namespace

std::vector<NamedModel> Graphs() {
  std::vector<NamedModel> models = JudgedAsTheyAre();
  // The first or the second input of the sum must be kept for a layer's backward step; the other
  // may be overwritten.
  for (const auto& [first, second] : {std::pair{"a", "b"}, {"b", "a"}}) {
    models.push_back({std::string("residual block, ") + first + " first",
                      Build(Start(Image(3, 6, 6))
                                .Layer(Conv2D(4).Kernel(3).Padding(1).NoBias().Name("stem"))
                                .Layer(BatchNorm())
                                .Layer(ActivationLayer(Tanh()).Name("a"))
                                .Layer(Conv2D(4).Kernel(3).Padding(1).Activation(Sigmoid()))
                                .Layer(Conv2D(4).Kernel(3).Padding(1).Name("b"))
                                .Layer(Add().Inputs({first, second}))
                                .Layer(ActivationLayer(Tanh()))
                                .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  }
  models.push_back({"a value with four readers",
                    Build(Start(FeedForward(5))
                              .Layer(Dense(6).Name("x"))
                              .Layer(Dense(6).Activation(Tanh()).Name("y"))
                              .Layer(ActivationLayer(Sigmoid()).Inputs({"x"}).Name("z"))
                              .Layer(Dropout(0.4).Inputs({"x"}).Name("d"))
                              .Layer(Concat().Inputs({"z", "y", "x", "d"}))
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  // Activations that keep their input, which layers before and after them also read.
  models.push_back({"inputs of activations that others read",
                    Build(Start(Image(3, 6, 6))
                              .Layer(Conv2D(4).Kernel(3).Padding(1).Name("x"))
                              .Layer(ActivationLayer(Gelu()).Inputs({"x"}).Name("g"))
                              .Layer(ActivationLayer(Tanh()).Inputs({"x"}).Name("t"))
                              .Layer(ActivationLayer(Silu()).Inputs({"g"}).Name("s"))
                              .Layer(Add().Inputs({"s", "t", "g", "x"}))
                              .Layer(ActivationLayer(Mish()))
                              .Layer(ActivationLayer(HardSwish()))
                              .Layer(Dropout(0.3))
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"branches of other layouts",
                    Build(Start(Image(2, 8, 8))
                              .Layer(Conv2D(5).Kernel(3).Activation(Tanh()).Name("conv"))
                              .Layer(MaxPool2D(2).Inputs({"conv"}).Name("max"))
                              .Layer(AvgPool2D(2).Inputs({"conv"}).Name("mean"))
                              .Layer(Conv2D(5).Kernel(2).Stride(2).Inputs({"conv"}).Name("small"))
                              .Layer(Concat().Inputs({"max", "mean", "small"}).Name("all"))
                              .Layer(Conv2D(4).Kernel(1).Activation(Sigmoid()))
                              .Layer(Dense(7).Activation(Tanh()).Name("left"))
                              .Layer(Dense(7).Inputs({"all"}).Activation(Sigmoid()).Name("right"))
                              .Layer(Add().Inputs({"left", "right"}))
                              .Layer(Output(2).Loss(MeanSquaredError())))});
  // Zeros among the factors, inputs without a gradient, and an input that is read twice.
  models.push_back({"every merge of branches of other layouts",
                    Build(Start(Image(3, 6, 6))
                              .Layer(Conv2D(3).Kernel(3).Padding(1).Name("a"))
                              .Layer(ActivationLayer(Relu()).Name("b"))
                              .Layer(AvgPool2D(3).Stride(1).Padding(1).Inputs({"a"}).Name("c"))
                              .Layer(Multiply().Inputs({"b", "input", "c"}).Name("product"))
                              .Layer(Maximum().Inputs({"input", "product", "c"}).Name("maximum"))
                              .Layer(Average().Inputs({"a", "maximum", "input", "a"}).Name("mean"))
                              .Layer(ActivationLayer(Tanh()))
                              .Layer(Dense(5).Name("left"))
                              .Layer(Dense(5).Activation(Tanh()).Inputs({"mean"}).Name("right"))
                              .Layer(Maximum().Inputs({"right", "left", "right"}))
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"the input read again behind layers",
                    Build(Start(FeedForward(4))
                              .Layer(ActivationLayer(Tanh()).Name("tanh"))
                              .Layer(Add().Inputs({"tanh", "input"}).Name("untrained"))
                              .Layer(Dense(4).Name("dense"))
                              .Layer(Add().Inputs({"dense", "untrained", "input"}))
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  return models;
}

std::vector<NamedModel> SharingNetworks() {
  const Sequential start = Sequential("gradient").Seed(11);
  std::vector<NamedModel> models;
  models.push_back(
      {"two images through the same layers",
       Build(Sequential(start)
                 .Input("left", Image(2, 6, 6))
                 .Input("right", Image(2, 6, 6))
                 .Layer(Conv2D(5).Kernel(3).Activation(Tanh()).Inputs({"left"}).Name("conv"))
                 .Layer(Dense(4).Activation(Tanh()).Name("code"))
                 .Layer(Conv2D(5)
                            .Kernel(3)
                            .Activation(Sigmoid())
                            .Inputs({"right"})
                            .WeightsOf("conv")
                            .Name("conv_of_right"))
                 .Layer(Dense(4).Activation(Tanh()).WeightsOf("code").Name("code_of_right"))
                 .Layer(Multiply().Inputs({"code", "code_of_right"}))
                 .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"an output with the embedding's weights",
                    Build(Sequential(start)
                              .Input(Sequence(5, 1))
                              .Layer(Embedding(37, 20).Name("words"))
                              .Layer(Dense(20).Activation(Tanh()))
                              .Layer(Output(37).WeightsOf("words").Loss(SoftmaxCrossEntropy())))});
  // Sizes at which kernels may choose different layouts. The third layer shares weights through the
  // second.
  models.push_back(
      {"one convolution over three sizes",
       Build(Sequential(start)
                 .Input(Image(16, 12, 12))
                 .Layer(Conv2D(16).Kernel(3).Padding(1).Activation(Tanh()).Name("first"))
                 .Layer(AvgPool2D(2))
                 .Layer(Conv2D(16).Kernel(3).Padding(1).WeightsOf("first").Name("second"))
                 .Layer(AvgPool2D(2))
                 .Layer(Conv2D(16).Kernel(3).Stride(2).WeightsOf("second").Activation(Tanh()))
                 .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"an image, numbers and a category",
                    Build(Sequential(start)
                              .Input("picture", Image(1, 4, 4))
                              .Input("numbers", FeedForward(3))
                              .Input("category", FeedForward(1))
                              .Layer(Conv2D(2).Kernel(3).Inputs({"picture"}))
                              .Layer(Dense(3).Activation(Tanh()).Name("seen"))
                              .Layer(Embedding(6, 3).Inputs({"category"}).Name("kind"))
                              .Layer(Concat().Inputs({"numbers", "kind", "seen"}))
                              .Layer(Output(2).Loss(MeanSquaredError())))});
  models.push_back({"a sequence that attends to another",
                    Build(Sequential(start)
                              .Input("asks", Sequence(3, 4))
                              .Input("answers", Sequence(5, 2))
                              .Layer(Dense(4).Activation(Tanh()).Inputs({"answers"}).Name("memory"))
                              .Layer(CrossAttention(2).Inputs({"asks", "memory"}).Name("first"))
                              .Layer(Add().Inputs({"asks", "first"}).Name("sum"))
                              .Layer(CrossAttention(2).Inputs({"sum", "memory"}).WeightsOf("first"))
                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))});
  models.push_back({"two sequences through one layer",
                    Build(Sequential(start)
                              .Input("question", Sequence(4, 3))
                              .Input("answer", Sequence(6, 3))
                              .Layer(Lstm(5).LastState().Inputs({"question"}).Name("asked"))
                              .Layer(Lstm(5).LastState().Inputs({"answer"}).WeightsOf("asked"))
                              .Layer(Concat().Inputs({"asked", "lstm1"}))
                              .Layer(Output(2).Loss(SoftmaxCrossEntropy())))});
  return models;
}

}  // namespace dl::gradient
