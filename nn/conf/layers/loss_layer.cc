#include "nn/conf/layers/loss_layer.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

Output LossLayer::As(int64_t units) const {
  Output output = Output(units).Loss(loss);
  output.compared_with = compared_with;
  output.loss_weight = loss_weight;
  output.labels_of = labels_of;
  return output;
}

std::optional<InputType> LossLayer::OutputType(const InputType& input, Mistakes& mistakes) const {
  const size_t before = mistakes.size();
  As(input.channels).Check(mistakes);
  if (mistakes.size() != before) return std::nullopt;
  return input;
}

// Every sample of every loss, and samples of other keys.
std::vector<LayerSample> LossLayer::Samples() {
  std::vector<LayerSample> samples;
  for (const LossType& type : LossTypes()) {
    for (const LossConf& sample : type.samples())
      samples.push_back(
          {LossLayer(sample), JudgesSequences(sample) ? Sequence(5, 3) : FeedForward(3)});
  }
  samples.push_back({LossLayer(SoftmaxCrossEntropy()), Sequence(4, 3)});
  samples.push_back({LossLayer(SoftmaxCrossEntropy()).LossWeight(3), FeedForward(4)});
  samples.push_back({LossLayer(MeanSquaredError()).ComparedWithInput(), FeedForward(5)});
  return samples;
}

}  // namespace dl::nn
