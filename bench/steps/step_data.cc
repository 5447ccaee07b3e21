#include "bench/steps/step_data.h"

#include "base/philox.h"
#include "nn/conf/layer_config.h"

namespace dl::bench {
namespace {

RandomStream Stream(uint64_t number) {
  return RandomStream({.seed = 1, .purpose = RandomPurpose::kForTests, .a = number});
}

}  // namespace

StepData::StepData(const BenchTask& task, const nn::ModelConfig& model) : batch_(task.batch) {
  const BenchModel& conf = *task.model;
  const nn::LayerConfig& last = model.layers.back();
  const bool reconstructs = model.output().compared_with == nn::ComparedWith::kInput;
  const int64_t examples = kMinibatches * batch_, columns = nn::ElementsOf(model.inputs);
  features_.resize(examples * columns);
  RandomStream values = Stream(0);
  for (size_t i = 0; i < features_.size(); ++i) {
    int64_t categories = model.input().IsSequence() ? conf.classes : 0;
    if (!conf.categories.empty()) categories = conf.categories[i % columns];
    const double uniform = values.NextDouble();
    // Whole numbers below `categories`, or values from 0 to 1, or from -1 to 1.
    features_[i] = static_cast<float>(
        categories > 0 ? static_cast<double>(static_cast<int64_t>(uniform * categories))
                       : (reconstructs ? uniform : 2 * uniform - 1));
  }
  if (reconstructs) return;
  labels_.resize(examples * last.output.Steps());
  RandomStream classes = Stream(1);
  for (int32_t& label : labels_) {
    const bool is_labelled = conf.labelled == 1 || classes.NextDouble() < conf.labelled;
    label = is_labelled ? static_cast<int32_t>(classes.Bounded(conf.classes)) : nn::kNoLabel;
  }
}

nn::Minibatch StepData::Of(int64_t step) const {
  const auto slice = [&](const auto& all) {
    const size_t size = all.size() / kMinibatches;
    return std::span(all).subspan(step % kMinibatches * size, size);
  };
  return {.examples = batch_, .features = slice(features_), .labels = slice(labels_)};
}

}  // namespace dl::bench
