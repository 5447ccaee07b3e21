#include "nn/conf/layers/output.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

void Output::Check(Mistakes& mistakes) const {
  CheckBias(mistakes);
  CheckJudged(loss, *this, mistakes);
  if (compared_with == ComparedWith::kInput && HasAccuracy(loss)) {
    mistakes.Add(absl::StrCat("is compared with the input, whose values are numbers, but ",
                              std::string(TagOf(loss)), " compares with classes"),
                 "Use mean_squared_error, or binary_cross_entropy for values from 0 to 1");
  }
  if (compared_with == ComparedWith::kInput && nn::LabelsOf(loss).kind == Labels::Kind::kNothing) {
    mistakes.Add(absl::StrCat("is compared with the input, but ", std::string(TagOf(loss)),
                              " compares outputs with each other"),
                 "Leave out compared_with");
  }
}

std::optional<InputType> Output::OutputType(const InputType& input, Mistakes&) const {
  return input.WithRowsOf(units);
}

std::vector<ParameterConf> Output::Parameters(const InputType& input,
                                              const WeightDefaults& defaults) const {
  return WeightAndBias({units, input.channels}, input.channels, units, defaults);
}

// Every sample of every loss, and samples of other keys.
std::vector<LayerSample> Output::Samples() {
  std::vector<LayerSample> samples;
  for (const LossType& type : LossTypes()) {
    for (const LossConf& sample : type.samples())
      samples.push_back(
          {Output(3).Loss(sample), JudgesSequences(sample) ? Sequence(5, 4) : FeedForward(4)});
  }
  const std::vector<LayerSample> others = {
      {Output(10).Loss(SoftmaxCrossEntropy()).NoBias(), FeedForward(7)},
      {Output(1).Loss(MeanSquaredError()), FeedForward(5)},
      {Output(4).Loss(SoftmaxCrossEntropy()), Sequence(3, 5)},
      {Output(2).Loss(MeanSquaredError()), Sequence(4, 3)},
      {Output(4).Loss(MeanSquaredError()).Activation(Sigmoid()), FeedForward(3)},
      {Output(2)
           .Loss(MeanSquaredError())
           .Activation(Tanh())
           .WeightInit(He())
           .L2(0.01)
           .WeightDecay(0.1)
           .L1(0.02)
           .LearningRateFactor(0.5),
       FeedForward(6)},
      {Output(2).Loss(MeanSquaredError()).Frozen(), FeedForward(3)},
      {Output(3).Loss(MeanSquaredError()).WeightConstraint(UnitNorm()), FeedForward(5)},
      {Output(3).Loss(SoftmaxCrossEntropy()).BiasInit(0.5), FeedForward(4)},
      {Output(2).Loss(MeanSquaredError()).LossWeight(0.25), FeedForward(4)},
      {Output(6).Loss(MeanSquaredError()).ComparedWithInput(), FeedForward(6)},
      {Output(3).Loss(BinaryCrossEntropy()).ComparedWithInput(), Sequence(4, 3)},
  };
  samples.insert(samples.end(), others.begin(), others.end());
  return samples;
}

}  // namespace dl::nn
