#include "dataset/readers/class_labels.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "base/printable.h"
#include "dataset/readers/training_labels.h"

namespace dl::dataset {

namespace {

std::string_view LabelText(const Schema& schema) {
  switch (schema.label_kind()) {
    case LabelKind::kClass:
      return schema.label_sequences() ? "sequences of classes" : "classes";
    case LabelKind::kTarget:
      return "numbers";
    case LabelKind::kNone:
      break;
  }
  return "none";
}

}  // namespace

Labels LabelsOfType(job::LabelType type, std::optional<int64_t> no_label) {
  switch (type) {
    case job::LabelType::kClass:
      return ClassLabels{.may_lack = no_label.has_value()};
    case job::LabelType::kClassSequence:
      return ClassSequences{};
    case job::LabelType::kNumber:
      return TargetLabels{};
    case job::LabelType::kNone:
      break;
  }
  return NoLabels{};
}

void AddAbsentLabels(const Schema& training, ExampleTable& table) {
  Schema& schema = table.schema;
  schema.labels = training.labels;
  table.targets.assign(table.examples * training.TargetsPerExample(), 0.0f);
  if (training.label_kind() != LabelKind::kClass) return;
  table.classes.assign(table.examples * training.labels_per_example(),
                       training.label_sequences() ? kNoLabel : 0);
  if (!schema.JudgesSteps()) return;
  for (size_t e = 0; e < table.lengths.size(); ++e) {
    const auto first =
        table.classes.begin() + static_cast<int64_t>(e) * schema.labels_per_example();
    std::fill(first + table.lengths[e], first + schema.labels_per_example(), kNoLabel);
  }
}

Status CheckTrainingHasClasses(const Schema* training, const std::string& path) {
  if (training == nullptr || training->label_kind() == LabelKind::kClass) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("its labels are classes, but the labels of the training split are ",
                               std::string(LabelText(*training))),
       .where = path,
       .remedy = "Give both splits the same label_type"});
}

Status AssignClasses(ExampleTable& table, const std::vector<std::string>& class_names,
                     const Schema* training, const std::string& path) {
  DL_RETURN_IF_ERROR(CheckTrainingHasClasses(training, path));
  Schema& schema = table.schema;
  if (training != nullptr) {
    DL_RETURN_IF_ERROR(NumberLikeTraining(*training, class_names, path, table.classes));
    schema.SetClasses(training->classes(), training->class_names());
  } else if (class_names.empty() && !table.classes.empty()) {
    const int32_t last = *std::max_element(table.classes.begin(), table.classes.end());
    schema.SetClasses(int64_t{last} + 1, {});
  } else {
    schema.SetClasses(std::ssize(class_names), class_names);
  }
  // Steps after the end of an example, and places after the end of a sequence of classes, have no
  // label.
  const bool may_lack =
      schema.label_sequences() || schema.variable_length || schema.may_lack_labels();
  const int64_t most = std::min(schema.classes(), limits::kMaxClasses);
  for (size_t i = 0; i < table.classes.size(); ++i) {
    if (table.classes[i] == kNoLabel && may_lack) continue;
    if (table.classes[i] >= 0 && table.classes[i] < most) continue;
    return InvalidArgument(
        {.message = absl::StrCat("label ", table.classes[i], " of example ",
                                 static_cast<int64_t>(i) / schema.labels_per_example(),
                                 " is not from 0 to ", most - 1),
         .where = path,
         .remedy = training != nullptr    ? "Use classes that the training split has"
                   : !class_names.empty() ? "State a name for every class in class_names"
                                          : "Number the classes from 0 without large gaps"});
  }
  return absl::OkStatus();
}

namespace {

std::string ShapeText(const Schema& schema) {
  if (schema.feature_shape.size() == 1) {
    const int64_t count = schema.feature_shape[0];
    return absl::StrCat(count, count == 1 ? " feature" : " features");
  }
  return absl::StrCat("examples of ", absl::StrJoin(schema.feature_shape, "x"));
}

// Returns the difference and a remedy. An empty message means that there is no difference.
std::pair<std::string, std::string> Difference(const Schema& schema, const Schema& training) {
  const auto shown = [](const std::string& name) {
    return absl::StrCat("\"", Excerpt(name), "\"");
  };
  if (schema.feature_shape != training.feature_shape) {
    return {absl::StrCat("it has ", ShapeText(schema), ", the training split has ",
                         ShapeText(training)),
            "Use splits of one dataset"};
  }
  if (schema.feature_type() != training.feature_type()) {
    const bool bytes = schema.feature_type() == FeatureType::kU8;
    return {absl::StrCat("its features are ", bytes ? "bytes" : "floats",
                         ", the training split's are ", bytes ? "floats" : "bytes"),
            "Write both splits with one type"};
  }
  // The length of the longest sequence of classes may differ.
  const bool as_many_labels = schema.labels_per_example() == training.labels_per_example() ||
                              (schema.label_sequences() && training.label_sequences());
  if (schema.variable_length != training.variable_length || !as_many_labels ||
      schema.label_sequences() != training.label_sequences()) {
    const auto text = [](const Schema& s) {
      return absl::StrCat("sequences of ", s.variable_length ? "variable" : "one", " length with ",
                          s.label_sequences()           ? "a sequence of classes"
                          : s.labels_per_example() == 1 ? "one label"
                                                        : "a label for each step");
    };
    return {absl::StrCat("it has ", text(schema), ", the training split has ", text(training)),
            "Read both splits in the same way"};
  }
  if (schema.weights && !training.weights) {
    return {"its examples have weights, those of the training split have none",
            "Leave the weights out, or give both splits weights"};
  }
  if (schema.mask_probability() != training.mask_probability()) {
    return {absl::StrCat("it asks for a share of ", schema.mask_probability(),
                         " of its tokens, the training split for ", training.mask_probability()),
            "Give both splits the same mask_probability"};
  }
  if (schema.label_kind() != training.label_kind() ||
      schema.target_size() != training.target_size()) {
    return {absl::StrCat("its labels are ", std::string(LabelText(schema)),
                         ", the training split's are ", std::string(LabelText(training))),
            "Give both splits the same label_type"};
  }
  if (schema.target_columns() != training.target_columns()) {
    return {"its columns of labels do not mean what those of the training split mean",
            "Read both splits with the same target_columns and categorical_columns"};
  }
  if (schema.feature_names().empty() != training.feature_names().empty()) {
    if (schema.feature_names().empty()) {
      return {"its columns have no names, and those of the training split have",
              "Give a table with a header that has the names of these columns"};
    }
    return {"its columns have names, and those of the training split have none",
            "Give the columns in the order of the training split, without names: remove the first "
            "line of the table, or save the values as an array"};
  }
  for (size_t i = 0; i < schema.feature_names().size(); ++i) {
    if (schema.feature_names()[i] == training.feature_names()[i]) continue;
    return {absl::StrCat("feature column ", i + 1, " is ", shown(schema.feature_names()[i]),
                         ", in the training split it is ", shown(training.feature_names()[i])),
            "Give both splits the same columns in the same order"};
  }
  return {};
}

}  // namespace

Status CheckSameSchema(const Schema& schema, const Schema& training, const std::string& path) {
  auto [message, remedy] = Difference(schema, training);
  if (message.empty()) return absl::OkStatus();
  return InvalidArgument(
      {.message = std::move(message), .where = path, .remedy = std::move(remedy)});
}

}  // namespace dl::dataset
