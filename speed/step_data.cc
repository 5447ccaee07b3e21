#include "speed/step_data.h"

#include <algorithm>
#include <cmath>

#include "base/philox.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::speed {
namespace {

RandomStream Stream(uint64_t number) {
  return RandomStream({.seed = 1, .purpose = RandomPurpose::kForTests, .a = number});
}

// Returns the number of categories of each value of an example; 0 means a number. Embeddings read
// inputs of the model, so they say which inputs have categories.
std::vector<int64_t> CategoriesOf(const nn::ModelConfig& model) {
  std::vector<int64_t> of_input(model.inputs.size(), 0);
  for (const nn::LayerConfig& layer : model.layers) {
    const auto* embedding = std::get_if<nn::Embedding>(&layer.conf);
    if (embedding == nullptr) continue;
    int64_t& categories = of_input[nn::InputIndex(layer.reads.front())];
    categories = categories == 0 ? embedding->indices : std::min(categories, embedding->indices);
  }
  std::vector<int64_t> categories;
  for (size_t i = 0; i < of_input.size(); ++i)
    categories.insert(categories.end(), model.inputs[i].type.Elements(), of_input[i]);
  return categories;
}

bool IsComparedWithInput(const nn::ModelConfig& model) {
  return model.output().compared_with == nn::ComparedWith::kInput;
}

// Number of labels of an example. A sequence of classes is as long as a quarter of the steps, so
// that it fits even if all of its classes are equal.
int64_t LabelsPerExample(const nn::LabelForm& form, const nn::ModelConfig& model) {
  using Kind = nn::LabelForm::Kind;
  if (form.kind == Kind::kNone) return 0;
  if (form.kind == Kind::kClassSequence)
    return std::max<int64_t>(1, nn::OutputsOf(model)[form.output].type.Steps() / 4);
  return form.steps * (form.kind == Kind::kNumbers ? form.numbers : 1);
}

// Draws a row of numbers: for each output a class, or numbers in the range of its loss.
void DrawNumbers(const std::vector<nn::ModelOutput>& outputs, RandomStream& random, float* row) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const nn::ModelOutput& output = outputs[i];
    if (output.labels_from != i) continue;
    const nn::Labels labels = nn::LabelsOf(output.conf.loss);
    const double least = std::max(labels.min, -1.0), most = std::min(labels.max, 1.0);
    for (int64_t k = 0; k < output.label_count; ++k) {
      const double value = output.HasClasses()
                               ? static_cast<double>(random.Bounded(output.conf.units))
                               : least + (most - least) * random.NextDouble();
      row[output.first_label + k] = static_cast<float>(value);
    }
  }
}

}  // namespace

StepData::StepData(const nn::ModelConfig& model, const nn::StepSize& size) : batch_(size.examples) {
  const int64_t examples = kMinibatches * batch_;
  const std::vector<int64_t> categories = CategoriesOf(model);
  // A loss of probabilities may compare the output with the input.
  const double least = IsComparedWithInput(model) ? 0 : -1;
  features_.resize(examples * categories.size());
  RandomStream values = Stream(0);
  for (size_t i = 0; i < features_.size(); ++i) {
    const int64_t count = categories[i % categories.size()];
    const double uniform = values.NextDouble();
    features_[i] = static_cast<float>(count > 0 ? std::floor(uniform * static_cast<double>(count))
                                                : least + (1 - least) * uniform);
  }
  if (model.input().variable_length)
    lengths_.assign(examples, static_cast<int32_t>(model.input().Steps()));

  const std::vector<nn::ModelOutput> outputs = nn::OutputsOf(model);
  const nn::LabelForm form = nn::LabelFormOf(outputs);
  const int64_t count = examples * LabelsPerExample(form, model);
  RandomStream random = Stream(1);
  if (form.kind == nn::LabelForm::Kind::kNumbers) {
    targets_.resize(count);
    for (int64_t row = 0; row < count; row += form.numbers)
      DrawNumbers(outputs, random, targets_.data() + row);
    return;
  }
  labels_.resize(count);
  const bool has_all = form.kind == nn::LabelForm::Kind::kClassSequence || size.labelled == 1;
  for (int32_t& label : labels_) {
    const bool is_labelled = has_all || random.NextDouble() < size.labelled;
    label = is_labelled ? static_cast<int32_t>(random.Bounded(form.classes)) : nn::kNoLabel;
  }
}

int64_t StepData::BytesOf(const nn::ModelConfig& model, const nn::StepSize& size) {
  const int64_t values =
      nn::ElementsOf(model.inputs) + LabelsPerExample(nn::LabelFormOf(nn::OutputsOf(model)), model);
  return kMinibatches * size.examples * values * static_cast<int64_t>(sizeof(float));
}

nn::Minibatch StepData::Of(int64_t step) const {
  const auto slice = [&](const auto& all) {
    const size_t size = all.size() / kMinibatches;
    return std::span(all).subspan(step % kMinibatches * size, size);
  };
  return {.examples = batch_,
          .features = slice(features_),
          .labels = slice(labels_),
          .targets = slice(targets_),
          .lengths = slice(lengths_)};
}

}  // namespace dl::speed
