#include "launch/import/sequence_steps.h"

#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "nn/conf/model_outputs.h"

namespace dl::launch {
namespace {

Status TooFewSteps(int64_t example, int64_t needed, const std::string& given) {
  return InvalidArgument(
      {.message = absl::StrCat("the labels of example ", example, ", counted from 0, need ", needed,
                               needed == 1 ? " step" : " steps",
                               " under the loss ctc (one for each class, and one between equal "
                               "ones), and ",
                               given),
       .remedy = "Let the model keep more steps, or leave the example out"});
}

}  // namespace

SequenceSteps StepsOfLabels(const dataset::ExampleTable& table) {
  SequenceSteps steps;
  if (!table.schema.label_sequences()) return steps;
  for (int64_t example = 0; example < table.examples; ++example) {
    const std::span<const int32_t> classes = dataset::ClassesOf(table, example);
    auto needed = static_cast<int64_t>(classes.size());
    for (size_t i = 1; i < classes.size(); ++i) needed += classes[i] == classes[i - 1] ? 1 : 0;
    if (needed > steps.most) {
      steps.most = needed;
      steps.most_example = example;
    }
    if (table.lengths.empty() || steps.short_example >= 0) continue;
    if (needed <= table.lengths[example]) continue;
    steps.short_example = example;
    steps.short_needed = needed;
    steps.short_steps = table.lengths[example];
  }
  return steps;
}

Status CheckSequenceSteps(const SequenceSteps& labels, const nn::ModelConfig& model) {
  for (const nn::ModelOutput& output : nn::OutputsOf(model)) {
    if (!output.HasClassSequences()) continue;
    if (labels.most > output.type.Steps()) {
      return TooFewSteps(labels.most_example, labels.most,
                         absl::StrCat("layer \"", output.name, "\" gives ", output.type.Steps()));
    }
    // Layers keep the number of steps of sequences with variable lengths.
    if (labels.short_example >= 0) {
      return TooFewSteps(labels.short_example, labels.short_needed,
                         absl::StrCat("the example has ", labels.short_steps));
    }
  }
  return absl::OkStatus();
}

}  // namespace dl::launch
