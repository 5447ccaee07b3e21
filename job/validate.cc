#include "job/validate.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "job/announced_figures.h"
#include "job/single_example_parts.h"
#include "job/target_scaling.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::job {
namespace {

std::string ShapeText(const DatasetSummary& data) { return absl::StrJoin(data.feature_shape, "x"); }

const DatasetSummary* SummaryOf(const DatasetSpec& dataset) {
  const auto* reference = std::get_if<ManifestReference>(&dataset);
  return reference == nullptr ? nullptr : &reference->summary;
}

// Returns whether labels that were read as classes look like numbers to predict: few of them occur
// twice.
bool LooksLikeTargets(const DatasetSummary& data) {
  constexpr int64_t kManyClasses = 20, kFewExamples = 20;
  return data.classes > kManyClasses &&
         data.classes * kFewExamples > data.examples * data.labels_per_example;
}

// Returns the remedy that lets the output have `units` units.
std::string ToGive(const nn::ModelConfig& model, const nn::ModelOutput& output, int64_t units) {
  if (std::holds_alternative<nn::LossLayer>(model.layers[output.layer].conf))
    return absl::StrCat("Let the layer before the loss give ", units);
  return absl::StrCat("Set the output layer's units to ", units);
}

constexpr std::string_view kAsNumbers =
    "set label_type to \"number\", and the output to the loss mean_squared_error with 1 unit";

// Mistakes are reported at the dataset, here and below. `judged`: the output with labels of its
// own, which are sequences of classes.
void CheckOutputAgainstSequences(const nn::ModelConfig& model, const nn::ModelOutput& judged,
                                 const DatasetSummary& data, nn::Mistakes& mistakes) {
  if (!data.label_sequences) {
    mistakes.Add(
        absl::StrCat("its labels are ", data.classes > 0 ? "single classes" : "numbers",
                     ", but the loss is ", std::string(TagOf(judged.conf.loss)),
                     ", of sequences of classes"),
        "Give examples rows of classes, with label_type \"class_sequence\"; or use another "
        "loss");
    return;
  }
  const int64_t wanted = data.classes + 1;
  if (judged.conf.units == wanted) return;
  mistakes.Add(
      absl::StrCat("it has ", data.classes, data.classes == 1 ? " class" : " classes", ", ", wanted,
                   " with the blank of ", std::string(TagOf(judged.conf.loss)), ", but layer \"",
                   judged.name, "\" has ", judged.conf.units,
                   judged.conf.units == 1 ? " unit" : " units"),
      ToGive(model, judged, wanted));
}

void CheckOutputAgainstLabels(const nn::ModelConfig& model, const nn::ModelOutput& judged,
                              const DatasetSummary& data, nn::Mistakes& mistakes) {
  const nn::Output& output = judged.conf;
  const bool classifies = PredictsClasses(output.loss);
  if (data.label_sequences) {
    mistakes.Add(absl::StrCat("its labels are sequences of classes, but the loss is ",
                              std::string(TagOf(output.loss))),
                 "Use the loss ctc, or give each example one class, or each of its steps, with "
                 "label_type \"class\"");
    return;
  }
  if (classifies && data.classes == 1) {
    mistakes.Add("all its labels are one class, and a loss over classes needs at least two",
                 "Check label_column, which is the last column by default");
    return;
  }
  if (classifies && data.classes != output.units && LooksLikeTargets(data)) {
    mistakes.Add(
        absl::StrCat("it has ", data.classes, " classes in ", data.examples,
                     " examples: its labels look like numbers to predict, not like classes"),
        absl::StrCat("For numbers ", std::string(kAsNumbers), "; for classes check label_column. ",
                     ToGive(model, judged, data.classes)));
    return;
  }
  const std::string loss(TagOf(output.loss));
  if (!classifies && data.classes > 0) {
    mistakes.Add(absl::StrCat("its labels are read as classes, but the loss is ", loss),
                 "Set the dataset's label_type to \"number\" (\"class\" is the default) where they "
                 "are numbers to predict; for classes use the loss softmax_cross_entropy");
    return;
  }
  if (classifies && data.classes == 0) {
    mistakes.Add(absl::StrCat("its labels are numbers, but the loss is ", loss),
                 "Use the loss mean_squared_error, or set the dataset's label_type to \"class\"");
    return;
  }
  const int64_t wanted = classifies ? data.classes : data.targets;
  if (output.units != wanted) {
    mistakes.Add(absl::StrCat("it has ", wanted, classifies ? " class" : " target",
                              wanted == 1  ? ""
                              : classifies ? "es"
                                           : "s",
                              ", but layer \"", judged.name, "\" has ", output.units,
                              output.units == 1 ? " unit" : " units"),
                 ToGive(model, judged, wanted));
  }
}

void CheckStepsAgainstLabels(const nn::ModelOutput& output, const DatasetSummary& data,
                             nn::Mistakes& mistakes) {
  const int64_t steps = output.type.Steps();
  if (steps == data.labels_per_example || data.label_sequences) return;
  mistakes.Add(absl::StrCat("its examples have ", data.labels_per_example,
                            data.labels_per_example == 1 ? " label" : " labels", ", and layer \"",
                            output.name, "\" judges ", steps, steps == 1 ? " row" : " steps"),
               output.type.IsSequence()
                   ? "Put a last_step or flatten layer before the output, or give each step a label"
                   : "Keep the sequence up to the output layer, or give each example one label");
}

// Several outputs have labels of their own, which are consecutive parts of an example's labels.
void CheckOutputsAgainstLabels(const std::vector<nn::ModelOutput>& outputs, int64_t wanted,
                               const DatasetSummary& data, nn::Mistakes& mistakes) {
  if (data.classes == 0 && data.targets == wanted) return;
  std::vector<std::string> parts;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].labels_from != i || outputs[i].label_count == 0) continue;
    parts.push_back(outputs[i].HasClasses()
                        ? absl::StrCat(outputs[i].name, ": a class")
                        : absl::StrCat(outputs[i].name, ": ", outputs[i].label_count,
                                       outputs[i].label_count == 1 ? " number" : " numbers"));
  }
  const std::string has =
      data.classes > 0
          ? "a class each"
          : absl::StrCat(data.targets, data.targets == 1 ? " number" : " numbers", " each");
  mistakes.Add(absl::StrCat("its labels are ", has, ", and the model's outputs take ", wanted,
                            " values (", absl::StrJoin(parts, "; "), ")"),
               absl::StrCat("Give each example ", wanted,
                            " numbers in the outputs' order, of a "
                            "table by target_columns, with label_type \"number\"; or let outputs "
                            "share labels (labels_of)"));
}

// Checks labels that are numbers, some of which are known to be classes.
void CheckTargetClasses(const nn::ModelConfig& model, const std::vector<nn::ModelOutput>& outputs,
                        const DatasetSummary& data, nn::Mistakes& mistakes) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const nn::ModelOutput& output = outputs[i];
    if (output.labels_from != i) continue;
    for (int64_t k = output.first_label; k < output.first_label + output.label_count; ++k) {
      const int64_t classes = data.target_classes[k];
      if (classes == 0 || (output.HasClasses() && classes == output.conf.units)) continue;
      const std::string label = absl::StrCat("label ", k + 1, " of an example is one of ", classes,
                                             classes == 1 ? " class" : " classes");
      if (output.HasClasses()) {
        mistakes.Add(absl::StrCat(label, ", but layer \"", output.name, "\" has ",
                                  output.conf.units, " units"),
                     ToGive(model, output, classes));
      } else {
        mistakes.Add(absl::StrCat(label, ", and layer \"", output.name, "\" predicts numbers"),
                     "Give the layer a loss over classes, or take the column out of "
                     "categorical_columns");
      }
    }
  }
}

// Several inputs take consecutive parts of an example's values, for any shape of the example.
void CheckSeveralInputs(const nn::ModelConfig& model, int64_t elements, nn::Mistakes& mistakes) {
  const int64_t wanted = nn::ElementsOf(model.inputs);
  if (elements == wanted) return;
  std::vector<std::string> inputs;
  for (const nn::NamedInput& input : model.inputs)
    inputs.push_back(absl::StrCat(input.name, ": ", Describe(input.type)));
  mistakes.Add(absl::StrCat("its examples have ", elements, elements == 1 ? " value" : " values",
                            ", and the model's inputs take ", wanted, " (",
                            absl::StrJoin(inputs, "; "), ")"),
               absl::StrCat("Let the inputs together take ", elements, ", in the data's order"));
}

}  // namespace

void CheckJobName(const std::string& name, nn::Mistakes& mistakes) {
  bool allowed = !name.empty() && static_cast<int64_t>(name.size()) <= limits::kMaxJobName &&
                 absl::ascii_isalnum(name[0]);
  for (char c : name)
    allowed = allowed && (absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.');
  if (allowed) return;
  mistakes.SetWhere("name");
  mistakes.Add("the name of the job is not allowed",
               absl::StrCat("Use 1 to ", limits::kMaxJobName,
                            " letters, digits, _, - and ., beginning with a letter or digit"));
}

void CheckData(const DataConfig& data, nn::Mistakes& mistakes) {
  CheckDataset(data.train, "data.train", mistakes);
  if (data.test) {
    CheckDataset(*data.test, "data.test", mistakes);
    CheckTestSet(data.train, *data.test, mistakes);
  }
  CheckAugmentation(data.augmentation, mistakes);
  if (!data.split) return;
  CheckSplit(*data.split, mistakes);
  if (data.test) {
    mistakes.Add("data.test and data.split both define the test set",
                 "Leave out data.test or data.split");
  }
  if (IsImported(data.train)) {
    mistakes.Add("data.split needs files, but the training set is a manifest",
                 "Name the files of the dataset, or leave out data.split");
  }
}

void CheckModelAgainstData(const nn::ModelConfig& model, const DatasetSummary& data,
                           const std::string& where, nn::Mistakes& mistakes) {
  mistakes.SetWhere(where);
  int64_t elements = 1;
  for (int64_t extent : data.feature_shape) elements *= extent;
  const nn::InputType& input = model.input();
  if (model.inputs.size() > 1) {
    CheckSeveralInputs(model, elements, mistakes);
  } else {
    // A flat vector accepts any shape.
    const std::vector<int64_t> wanted = input.Shape();
    std::vector<int64_t> shape = data.feature_shape;
    // Volumes with one channel, [n, depth, height, width], are read as images with one channel per
    // slice.
    if (input.IsVolume() && shape.size() == 3) shape.insert(shape.begin(), 1);
    const bool same_rank = wanted.size() > 1 && shape.size() == wanted.size();
    if (elements != input.Elements() || (same_rank && shape != wanted)) {
      mistakes.Add(absl::StrCat("its examples are ", ShapeText(data), ", the model's input is ",
                                Describe(input)),
                   absl::StrCat("Set the model's input to ", absl::StrJoin(shape, "x")));
    }
  }
  if (input.IsSequence() && input.variable_length != data.variable_length) {
    mistakes.Add(
        data.variable_length
            ? "its sequences have different lengths, but the model's input has a fixed length"
            : "its sequences have one length, but the model's input has variable_length",
        absl::StrCat("Set variable_length of the model's input to ",
                     data.variable_length ? "true" : "false",
                     ", or sequences.lengths of the table to ",
                     data.variable_length ? "\"equal\"" : "\"variable\""));
  } else if (data.variable_length && !input.IsSequence()) {
    mistakes.Add(absl::StrCat("its sequences have different lengths, but the model's input is ",
                              Describe(input)),
                 "Declare the input as a sequence with variable_length");
  }
  const std::vector<nn::ModelOutput> outputs = OutputsOf(model);
  const nn::LabelForm form = LabelFormOf(outputs);
  if (form.owners > 0 && !data.HasLabels()) {
    mistakes.Add(absl::StrCat("it has no labels, but the loss of layer \"",
                              outputs[form.output].name, "\" needs labels"),
                 "Set label_type to the type of its labels, or compare the layer with the input "
                 "(compared_with)");
    return;
  }
  if (form.kind == nn::LabelForm::Kind::kNumbers && data.targets == form.numbers &&
      !data.target_classes.empty())
    CheckTargetClasses(model, outputs, data, mistakes);
  if (form.owners == 0) return;
  if (form.owners > 1) {
    CheckOutputsAgainstLabels(outputs, form.numbers, data, mistakes);
    CheckStepsAgainstLabels(outputs[form.output], data, mistakes);
    return;
  }
  if (form.kind == nn::LabelForm::Kind::kClassSequence)
    return CheckOutputAgainstSequences(model, outputs[form.output], data, mistakes);
  CheckOutputAgainstLabels(model, outputs[form.output], data, mistakes);
  CheckStepsAgainstLabels(outputs[form.output], data, mistakes);
}

// Checks that a stateful model gets consecutive examples.
void CheckStreams(const JobSpec& spec, nn::Mistakes& mistakes) {
  if (!IsStateful(spec)) return;
  mistakes.SetWhere("training.shuffle");
  if (spec.training.shuffle != ShuffleMode::kStream) {
    mistakes.Add("the model has a stateful layer, so examples must keep the order of the data",
                 R"(Set it to "stream", or the layer's stateful to false)");
  }
  if (spec.data.split && spec.data.split->take == SplitTake::kRandom) {
    mistakes.SetWhere("data.split");
    mistakes.Add(
        "the split selects random examples, but a stateful model needs consecutive examples",
        "Set data.split.take to \"last\", or name the test set's own files in data.test");
  }
  const auto* text = std::get_if<TextSource>(&spec.data.train);
  if (text != nullptr && text->stride != 0 && text->stride != text->steps) {
    mistakes.SetWhere("data.train.stride");
    mistakes.Add("a stateful model needs adjacent examples, but stride differs from steps",
                 "Leave out stride, so that it equals steps");
  }
  // Computed as a double, which cannot overflow.
  double carried = 0;
  for (const nn::LayerConfig& layer : spec.model.layers) {
    for (const nn::CarriedConf& conf : nn::CarriedOf(layer.conf))
      carried += static_cast<double>(spec.training.batch_size * conf.features);
  }
  if (carried > static_cast<double>(limits::kMaxParameters)) {
    mistakes.SetWhere("training.batch_size");
    mistakes.Add("the carried state of stateful layers is too large for this number of rows",
                 "Use a smaller batch_size, or fewer units");
  }
}

void CheckTogether(const JobSpec& spec, bool model_is_read, nn::Mistakes& mistakes) {
  if (spec.training.early_stopping && !spec.data.test && !spec.data.split) {
    mistakes.SetWhere("training.early_stopping");
    mistakes.Add("early stopping needs a test set",
                 "Add data.test or data.split, or leave out early_stopping");
  }
  if (model_is_read && nn::FollowsAMetric(nn::LearningRateOf(spec.model.updater)) &&
      ((!spec.data.test && !spec.data.split) || !spec.training.evaluation.every_epoch)) {
    mistakes.SetWhere("model.updater.learning_rate");
    mistakes.Add(
        "a plateau needs an evaluation after every epoch",
        "Add data.test or data.split, with training.evaluation.every_epoch, or use another "
        "schedule");
  }
  if (spec.training.early_stopping && model_is_read) CheckWatchedMetric(spec, mistakes);
  if (std::holds_alternative<TextSource>(spec.data.train) &&
      spec.data.normalizer != NormalizerChoice::kNone) {
    mistakes.SetWhere("data.normalizer");
    mistakes.Add("the values of a text are indices of its vocabulary, not amounts",
                 "Set it to \"none\"");
  }
  const DatasetSummary* train = SummaryOf(spec.data.train);
  const DatasetSummary* test = spec.data.test ? SummaryOf(*spec.data.test) : nullptr;
  if (spec.data.test && IsImported(spec.data.train) != IsImported(*spec.data.test)) {
    mistakes.SetWhere("data");
    mistakes.Add(
        "one of data.train and data.test is an imported dataset, but the other names files",
        "Name the files of both, or import both with dl-submit import");
  }
  // CheckData reports a broken summary. Its numbers cannot be used here.
  const auto usable = [](const DatasetSpec& dataset) {
    nn::Mistakes own;
    CheckDataset(dataset, "", own);
    return own.empty();
  };
  if (train != nullptr && usable(spec.data.train))
    CheckAugmentationAgainstData(spec.data.augmentation, train->feature_shape, mistakes);
  if (train != nullptr && !spec.data.augmentation.empty() && !train->label_sequences &&
      train->labels_per_example > 1) {
    mistakes.SetWhere("data.augmentation");
    mistakes.Add("augmentation would move pixels but not their labels", "Leave out augmentation");
  }
  if (!model_is_read) return;
  CheckStreams(spec, mistakes);
  CheckSingleExamples(spec, mistakes);
  CheckTargetNormalizer(spec, mistakes);
  if (train != nullptr && usable(spec.data.train)) {
    CheckModelAgainstData(spec.model, *train, "data.train", mistakes);
  }
  if (test != nullptr && usable(*spec.data.test)) {
    CheckModelAgainstData(spec.model, *test, "data.test", mistakes);
  }
}

Status ValidateJob(const JobSpec& spec) {
  nn::Mistakes mistakes;
  CheckJobName(spec.name, mistakes);
  CheckInitialWeights(spec.initial_weights, spec.model.layers.empty() ? nullptr : &spec.model,
                      mistakes);
  CheckTraining(spec.training, mistakes);
  CheckData(spec.data, mistakes);
  CheckTogether(spec, !spec.model.layers.empty(), mistakes);
  return mistakes.ToStatus();
}

}  // namespace dl::job
