#include "nn/conf/model_outputs.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "nn/conf/layer_graph.h"

namespace dl::nn {
namespace {

bool TakesLabels(const ModelOutput& output) { return output.conf.IsComparedWithLabels(); }

// Returns the index of the output with this name among `before`, or nullopt.
std::optional<size_t> NamedOutput(const std::vector<ModelOutput>& before, const std::string& name) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].name == name) return i;
  }
  return std::nullopt;
}

// Input and output must have equally many values, and for sequences equally many steps.
void CheckReconstruction(const ModelConfig& model, const ModelOutput& output, Mistakes& mistakes) {
  if (model.inputs.size() > 1) {
    mistakes.Add(absl::StrCat("is compared with the input, but there are ", model.inputs.size()),
                 "Give the data labels to compare it with");
    return;
  }
  const InputType &input = model.input(), &type = output.type;
  const bool by_steps = !type.IsSequence() || type.Steps() == input.Steps();
  if (type.Elements() == input.Elements() && by_steps &&
      type.variable_length == input.variable_length && type.lengths == input.lengths)
    return;
  mistakes.Add(absl::StrCat("is compared with the input, which is ", Describe(input),
                            ", but gives ", Describe(type)),
               type.IsSequence()
                   ? absl::StrCat("Give it as many steps, and ", input.channels, " units")
                   : absl::StrCat("Set its units to ", input.Elements()));
}

// Labels of steps have the lengths of the data. Windows with a stride or without padding change the
// lengths.
void CheckLengths(const ModelOutput& output, Mistakes& mistakes) {
  if (output.type.lengths.AreUnchanged() || output.HasClassSequences()) return;
  if (!TakesLabels(output) || !output.type.IsSequence()) return;
  mistakes.Add(
      "gives other numbers of steps than the data has, and each step of the data has a label",
      "Keep the lengths with a stride of 1 and the padding \"same\", put a last_step or a global "
      "pooling before it, or use the loss ctc");
}

// Checks labels_of. `before` holds the outputs before this one.
void CheckLabelsOf(const ModelOutput& output, const std::vector<ModelOutput>& before,
                   Mistakes& mistakes) {
  if (!output.conf.labels_of) return;
  const std::string& name = *output.conf.labels_of;
  if (!TakesLabels(output)) {
    mistakes.Add(absl::StrCat("is compared with no labels, but labels_of names ", QuotedName(name)),
                 "Leave out labels_of");
    return;
  }
  const std::optional<size_t> found = NamedOutput(before, name);
  if (!found) {
    std::vector<std::string> names;
    for (const ModelOutput& other : before) names.push_back(other.name);
    mistakes.Add(absl::StrCat("is compared with the labels of ", QuotedName(name),
                              ", but no earlier output has that name", DidYouMean(name, names)),
                 "Name a layer before it that has a loss, or leave out labels_of");
    return;
  }
  const ModelOutput& other = before[*found];
  if (!TakesLabels(other)) {
    mistakes.Add(
        absl::StrCat("is compared with the labels of ", QuotedName(name), ", which has no labels"),
        "Leave out labels_of");
  } else if (output.LabelKind() != other.LabelKind() || output.conf.units != other.conf.units ||
             output.type.Steps() != other.type.Steps() ||
             output.type.variable_length != other.type.variable_length ||
             output.type.lengths != other.type.lengths) {
    const auto form = [](const ModelOutput& one) {
      return absl::StrCat(one.HasClasses()          ? "classes"
                          : one.HasClassSequences() ? "sequences of classes"
                                                    : "numbers",
                          ", ", Describe(one.type));
    };
    mistakes.Add(absl::StrCat("is compared with the labels of ", QuotedName(name), " (",
                              form(other), "), but needs other labels (", form(output), ")"),
                 "Give both as many units, and losses of one kind; or leave out labels_of, and "
                 "give the data labels for both");
  }
}

// Checks outputs that each have labels of their own. These labels form one row for each example, or
// for each step.
void CheckSeveralOwners(const std::vector<ModelOutput>& outputs, Mistakes& mistakes) {
  const ModelOutput* first = nullptr;  // first output with labels
  for (const ModelOutput& output : outputs) {
    mistakes.SetWhere(absl::StrCat("layer ", QuotedName(output.name)));
    if (WantsBalancedClasses(output.conf.loss)) {
      mistakes.Add("has balanced class weights, but the labels of several outputs are not counted",
                   "Give class_weights as a list of numbers");
    }
    if (!TakesLabels(output)) continue;
    if (output.HasClassSequences()) {
      mistakes.Add("is compared with sequences of classes, but other outputs have their own labels",
                   "Let all outputs but one take the labels of that one (labels_of)");
      continue;
    }
    if (first == nullptr) first = &output;
    if (output.type.Steps() == first->type.Steps() &&
        output.type.IsSequence() == first->type.IsSequence())
      continue;
    mistakes.Add(absl::StrCat("compares ", Describe(output.type), " with labels, but ",
                              QuotedName(first->name), " compares ", Describe(first->type),
                              ": all labels must belong to examples, or all to steps"),
                 "Put a last_step or flatten layer before the layer that compares steps, or "
                 "compare that layer with the input");
  }
}

}  // namespace

std::vector<ModelOutput> OutputsOf(const ModelConfig& model) {
  std::vector<ModelOutput> outputs;
  int64_t next = 0;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const LayerConfig& layer = model.layers[i];
    if (!EndsModel(layer.conf)) continue;
    ModelOutput output{
        .layer = i, .name = layer.name, .conf = OutputOf(layer), .type = layer.output};
    output.labels_from = outputs.size();
    if (const auto other = NamedOutput(outputs, output.conf.labels_of.value_or(""))) {
      output.labels_from = outputs[*other].labels_from;
      output.first_label = outputs[*other].first_label;
      output.label_count = outputs[*other].label_count;
    } else if (TakesLabels(output)) {
      output.first_label = next;
      output.label_count = HasAccuracy(output.conf.loss) ? 1 : output.conf.units;
      next += output.label_count;
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

LabelForm LabelFormOf(const std::vector<ModelOutput>& outputs) {
  LabelForm form;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!TakesLabels(outputs[i]) || outputs[i].labels_from != i) continue;
    if (form.owners++ == 0) form.output = i;
    form.numbers += outputs[i].label_count;
  }
  if (form.owners == 0) return form;
  const ModelOutput& first = outputs[form.output];
  form.steps = first.CountedPerExample();
  if (form.owners == 1 && first.HasClassSequences()) {
    return {.kind = LabelForm::Kind::kClassSequence,
            .classes = first.conf.units - 1,
            .owners = 1,
            .output = form.output};
  }
  if (form.owners > 1 || !first.HasClasses()) {
    form.kind = LabelForm::Kind::kNumbers;
    return form;
  }
  return {.kind = LabelForm::Kind::kClass,
          .classes = first.conf.units,
          .steps = form.steps,
          .owners = 1,
          .output = form.output};
}

void CheckModelOutputs(const ModelConfig& model, Mistakes& mistakes) {
  const std::vector<ModelOutput> outputs = OutputsOf(model);
  if (static_cast<int64_t>(outputs.size()) > limits::kMaxModelOutputs) {
    mistakes.SetWhere(absl::StrCat("model ", QuotedName(model.name)));
    mistakes.Add(absl::StrCat("there are ", outputs.size(), " layers with a loss"),
                 absl::StrCat("Use at most ", limits::kMaxModelOutputs));
    return;
  }
  const size_t before = mistakes.size();
  for (size_t i = 0; i < outputs.size(); ++i) {
    mistakes.SetWhere(absl::StrCat("layer ", QuotedName(outputs[i].name)));
    CheckLabelsOf(outputs[i], {outputs.begin(), outputs.begin() + static_cast<int64_t>(i)},
                  mistakes);
    if (outputs[i].conf.compared_with == ComparedWith::kInput)
      CheckReconstruction(model, outputs[i], mistakes);
    CheckLengths(outputs[i], mistakes);
    if (outputs[i].HasClassSequences() && !outputs[i].type.IsSequence()) {
      mistakes.Add(
          absl::StrCat(std::string(TagOf(outputs[i].conf.loss)),
                       " compares sequences, but its input is ", Describe(outputs[i].type)),
          "Keep the sequence up to it, or use softmax_cross_entropy");
    }
  }
  if (mistakes.size() != before || LabelFormOf(outputs).owners < 2) return;
  CheckSeveralOwners(outputs, mistakes);
}

}  // namespace dl::nn
