#include "launch/import/sequence_steps.h"

#include <map>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "nn/conf/model_outputs.h"

namespace dl::launch {
namespace {

Status TooFewSteps(const NeededSteps& steps, const nn::ModelOutput& output, int64_t given) {
  const bool shorter = output.type.variable_length;
  return InvalidArgument(
      {.message =
           absl::StrCat("the labels of example ", steps.example, ", counted from 0, need ",
                        steps.needed, steps.needed == 1 ? " step" : " steps",
                        " under the loss ctc (one for each class, and one between equal "
                        "ones), and layer \"",
                        output.name, "\" gives ", given,
                        shorter ? absl::StrCat(" for the ", steps.length, " of the example") : ""),
       .remedy = "Let the model keep more steps, or leave the example out"});
}

int64_t StepsNeeded(std::span<const int32_t> classes) {
  auto needed = static_cast<int64_t>(classes.size());
  for (size_t i = 1; i < classes.size(); ++i) needed += classes[i] == classes[i - 1] ? 1 : 0;
  return needed;
}

}  // namespace

SequenceSteps StepsOfLabels(const dataset::ExampleTable& table) {
  if (!table.schema.label_sequences()) return {};
  std::map<int64_t, NeededSteps> of_lengths;
  for (int64_t example = 0; example < table.examples; ++example) {
    const int64_t length =
        table.lengths.empty() ? table.schema.feature_shape[0] : table.lengths[example];
    const int64_t needed = StepsNeeded(dataset::ClassesOf(table, example));
    const NeededSteps own{.length = length, .needed = needed, .example = example};
    const auto [most, added] = of_lengths.try_emplace(length, own);
    if (needed > most->second.needed) most->second = own;
  }
  SequenceSteps steps;
  for (const auto& [length, most] : of_lengths) {
    if (steps.empty() || most.needed > steps.back().needed) steps.push_back(most);
  }
  return steps;
}

Status CheckSequenceSteps(const SequenceSteps& labels, const nn::ModelConfig& model) {
  for (const nn::ModelOutput& output : nn::OutputsOf(model)) {
    if (!output.HasClassSequences()) continue;
    for (const NeededSteps& steps : labels) {
      const int64_t given = output.type.StepsOf(steps.length);
      if (steps.needed > given) return TooFewSteps(steps, output, given);
    }
  }
  return absl::OkStatus();
}

}  // namespace dl::launch
