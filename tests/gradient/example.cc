#include "tests/gradient/example.h"

#include <algorithm>

#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_outputs.h"
#include "nn/conf/segments.h"

namespace dl::gradient {
namespace {

class Draw {
 public:
  explicit Draw(uint64_t seed) : stream_({.seed = seed, .purpose = RandomPurpose::kForTests}) {}
  float Between(double low, double high) {
    return static_cast<float>(low + (high - low) * stream_.NextDouble());
  }
  int32_t Below(int64_t bound) { return static_cast<int32_t>(stream_.Bounded(bound)); }

 private:
  RandomStream stream_;
};

// Returns the model's initial state plus noise: biases, beta, moments, updater state and carried
// state are not 0, gamma is not 1.
std::vector<float> RandomState(const nn::ModelConfig& model, int64_t examples, uint64_t seed,
                               Draw& draw) {
  const SegmentTable table = nn::FullTable(model, examples);
  std::vector<float> state = nn::InitialState(model, seed, examples);
  for (const Segment& segment : table.segments()) {
    for (float& value : table.View(segment, std::span<float>(state))) {
      switch (segment.kind) {
        case SegmentKind::kParameter:
          value += draw.Between(-0.1, 0.1);
          break;
        case SegmentKind::kMean:
          value = draw.Between(-0.3, 0.3);
          break;
        case SegmentKind::kVariance:
          value = draw.Between(0.5, 1.5);
          break;
        case SegmentKind::kUpdater:
          value = draw.Between(0.001, 0.01);  // Adam's v is not negative
          break;
        case SegmentKind::kCarried:
          value = draw.Between(-0.5, 0.5);
          break;
      }
    }
  }
  return state;
}

// Returns for each value of an example the bound of the indices that an embedding reads there, else
// 0.
std::vector<int64_t> IndicesOf(const nn::ModelConfig& model) {
  std::vector<int64_t> bounds;
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    int64_t bound = 0;
    for (const nn::LayerConfig& layer : model.layers) {
      const auto* embedding = std::get_if<nn::Embedding>(&layer.conf);
      if (embedding != nullptr && nn::InputIndex(layer.reads.front()) == i)
        bound = embedding->indices;
    }
    bounds.insert(bounds.end(), model.inputs[i].type.Elements(), bound);
  }
  return bounds;
}

float NumberFor(const nn::ModelOutput& output, Draw& draw) {
  const nn::Labels& labels = LabelsOf(output.conf.loss);
  return draw.Between(std::max(-1.0, labels.min), std::min(1.0, labels.max));
}

void AddLabels(const std::vector<nn::ModelOutput>& outputs, Draw& draw, Example& example) {
  const nn::LabelForm form = LabelFormOf(outputs);
  if (form.owners == 0) return;
  const nn::ModelOutput& first = outputs[form.output];
  const int64_t rows = example.examples * first.type.Steps();
  if (form.kind == nn::LabelForm::Kind::kClassSequence) {
    // Sequences of all lengths from 0 on, some with two equal classes in a row, short enough to fit
    // into the steps.
    const int64_t most = std::max<int64_t>(1, (first.type.Steps() + 1) / 2);
    for (int64_t e = 0; e < example.examples; ++e) {
      for (int64_t i = 0; i < most; ++i)
        example.labels.push_back(i < e % (most + 1) ? draw.Below(form.classes) : -1);
    }
    return;
  }
  if (form.kind == nn::LabelForm::Kind::kClass) {
    for (int64_t n = 0; n < rows; ++n) example.labels.push_back(draw.Below(form.classes));
    return;
  }
  for (int64_t n = 0; n < rows; ++n) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const nn::ModelOutput& output = outputs[i];
      if (output.labels_from != i || output.label_count == 0) continue;
      if (output.HasClasses()) {  // some examples have none
        const bool labelled = n % 3 != 1;
        example.targets.push_back(labelled ? static_cast<float>(draw.Below(output.conf.units))
                                           : -1.0f);
      } else {
        for (int64_t k = 0; k < output.label_count; ++k)
          example.targets.push_back(NumberFor(output, draw));
      }
    }
  }
}

Example RandomExample(const nn::ModelConfig& model, int64_t examples, uint64_t seed) {
  Draw draw(seed);
  Example example{.state = RandomState(model, examples, seed, draw), .examples = examples};
  example.features.resize(examples * ElementsOf(model.inputs));
  const std::vector<int64_t> indices = IndicesOf(model);
  const std::vector<nn::ModelOutput> outputs = OutputsOf(model);
  double low = -1;
  for (const nn::ModelOutput& output : outputs) {
    // The loss uses the input as targets.
    if (output.conf.compared_with == nn::ComparedWith::kInput)
      low = std::max(low, LabelsOf(output.conf.loss).min);
  }
  for (size_t i = 0; i < example.features.size(); ++i) {
    const int64_t bound = indices[i % indices.size()];
    example.features[i] = bound > 0 ? static_cast<float>(draw.Below(bound)) : draw.Between(low, 1);
  }
  AddLabels(outputs, draw, example);
  return example;
}

}  // namespace

nn::Minibatch Example::ForEngine() const {
  return {.examples = examples,
          .features = features,
          .labels = labels,
          .targets = targets,
          .weights = weights};
}

reference::Minibatch Example::ForReference() const {
  return {.examples = examples,
          .features = features,
          .expected = {.labels = labels, .targets = targets, .weights = weights}};
}

nn::StepContext ContextAt(const reference::Place& place, const reference::Step& step) {
  return {.epoch = place.epoch,
          .round = place.round,
          .worker = place.worker,
          .step = place.step,
          .learning_rate = step.learning_rate,
          .update_count = step.update_count};
}

Example MakeExample(const nn::ModelConfig& model, int64_t examples, double kink_distance) {
  reference::Network network(model, examples);
  constexpr uint64_t kTries = 200;
  for (uint64_t seed = 1; seed <= kTries; ++seed) {
    Example example = RandomExample(model, examples, seed);
    network.Load(example.state);
    network.Loss(example.ForReference(), kPlace);
    if (network.KinkDistance() >= kink_distance) return example;
  }
  ADD_FAILURE() << "no example stays " << kink_distance << " away from kinks";
  return RandomExample(model, examples, 1);
}

}  // namespace dl::gradient
