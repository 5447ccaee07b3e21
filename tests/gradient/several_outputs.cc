// Models that have several losses.
#include "tests/gradient/building.h"
#include "tests/gradient/models.h"

namespace dl::gradient {

using namespace nn;  // NOLINT: this file is all builders

std::vector<NamedModel> SeveralOutputs() {
  std::vector<NamedModel> models;
  models.push_back(
      {"an auxiliary classifier",
       Build(Start(FeedForward(5))
                 .Layer(Dense(6).Activation(Tanh()).Name("a"))
                 .Layer(Output(3).Loss(SoftmaxCrossEntropy()).LossWeight(0.3).Name("aux"))
                 .Layer(Dense(4).Activation(Sigmoid()).Inputs({"a"}))
                 .Layer(Output(3).Loss(SoftmaxCrossEntropy()).LabelsOf("aux")))});
  // The loss of the last output has a weight too.
  models.push_back(
      {"classes and numbers",
       Build(
           Start(Image(2, 6, 6))
               .Layer(Conv2D(4).Kernel(3).Activation(Tanh()).Name("x"))
               .Layer(Output(3).Loss(SoftmaxCrossEntropy()).LossWeight(0.7).Name("kind"))
               .Layer(Output(2).Loss(MeanSquaredError()).LossWeight(2).Inputs({"x"}).Name("place"))
               .Layer(Output(4).Loss(Focal()).Inputs({"x"}).LossWeight(0.1).Name("seen"))
               .Layer(Output(1).Loss(BinaryCrossEntropy()).Inputs({"x"}).LossWeight(0.5)))});
  for (const bool input_first : {true, false}) {
    const auto rebuilt =
        Output(6).Loss(MeanSquaredError()).ComparedWithInput().Inputs({"code"}).Name("rebuilt");
    const auto classes =
        Output(3).Loss(SoftmaxCrossEntropy()).LossWeight(0.2).Inputs({"code"}).Name("class");
    Sequential model = Start(FeedForward(6));
    model.Layer(Dense(4).Activation(Tanh()).Name("code"));
    if (input_first) {
      model.Layer(rebuilt).Layer(classes);
    } else {
      model.Layer(classes).Layer(rebuilt);
    }
    models.push_back({input_first ? "an autoencoder that classifies" : "a classifier that rebuilds",
                      Build(model)});
  }
  // Loss layers: one in place of values that other layers read, and two on the same value.
  models.push_back(
      {"losses of one value",
       Build(
           Start(FeedForward(5))
               .Layer(Dense(3).Activation(Tanh()).Name("x"))
               .Layer(LossLayer(SoftmaxCrossEntropy()).Name("classes"))
               .Layer(LossLayer(MeanAbsoluteError()).LossWeight(0.4).Inputs({"x"}).Name("numbers"))
               .Layer(Dense(3).Activation(Sigmoid()).Inputs({"x"}))
               .Layer(LossLayer(Focal()).LabelsOf("classes")))});
  // Steps of a sequence and whole sequences: the two means are over different numbers of rows.
  models.push_back(
      {"steps that are rebuilt beside a class",
       Build(Start(Sequence(4, 3))
                 .Layer(Gru(5).Name("states"))
                 .Layer(Output(3).Loss(MeanSquaredError()).ComparedWithInput().LossWeight(0.6))
                 .Layer(LastStep().Inputs({"states"}))
                 .Layer(Output(4).Loss(SoftmaxCrossEntropy())))});
  models.push_back(
      {"a class beside steps that have one each",
       Build(Start(Sequence(4, 3))
                 .Layer(SimpleRnn(5).Name("states"))
                 .Layer(LastStep())
                 .Layer(Output(12).Loss(MeanSquaredError()).ComparedWithInput().LossWeight(0.6))
                 .Layer(Output(4).Loss(SoftmaxCrossEntropy()).Inputs({"states"})))});
  models.push_back(
      {"a class and numbers of each step",
       Build(Start(Sequence(4, 3))
                 .Layer(SimpleRnn(5).Name("states"))
                 .Layer(Output(3).Loss(SoftmaxCrossEntropy()).LossWeight(0.7).Name("kind"))
                 .Layer(Output(2).Loss(MeanSquaredError()).Inputs({"states"}).Name("place"))
                 .Layer(Output(2).Loss(Huber()).Inputs({"states"}).LabelsOf("place")))});
  // An output that uses the weights of another output.
  models.push_back(
      {"outputs that share their weights",
       Build(Start(FeedForward(5))
                 .Layer(Dense(6).Activation(Tanh()).Name("a"))
                 .Layer(Output(3).Loss(SoftmaxCrossEntropy()).Name("early"))
                 .Layer(Dense(6).Activation(Tanh()).Inputs({"a"}))
                 .Layer(
                     Output(3).Loss(SoftmaxCrossEntropy()).WeightsOf("early").LabelsOf("early")))});
  return models;
}

}  // namespace dl::gradient
