// Fits a table to a trained model: FitToModel and CheckFeatureOfModel of table_draft.h.
#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/field_kind.h"
#include "dataset/readers/table/label_guess.h"
#include "dataset/readers/table/table_columns.h"
#include "dataset/readers/table/table_draft.h"

namespace dl::dataset {
namespace {

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Sets several targets, some of which may be classes.
void TakeTargets(const Schema& known, TableDraft& draft) {
  job::CsvSource& source = draft.table.source;
  source.target_columns = known.label_columns;
  source.label_column = int64_t{-1};
  for (size_t i = 0; i < known.target_columns().size(); ++i) {
    if (!known.target_columns()[i].IsNumber())
      source.categorical_columns.all.push_back(known.label_columns.all[i]);
  }
}

// A table whose labels are read also has weights if it has the column with the training set's name
// for them.
Status FitWeights(const Schema& known, TableDraft& draft) {
  const std::vector<std::string>& row = draft.survey.first_row();
  for (size_t i = 0; i < row.size(); ++i) {
    if (!Contains(WeightNamesOf(known), row[i]) || draft.drops.contains(i)) continue;
    if (draft.table.has_labels) return draft.SetWeights(i);
    draft.left_out[i] = true;
  }
  return absl::OkStatus();
}

// Without names, the table must have as many columns as the training set.
Status FitWeightsByPlace(const Schema& known, TableDraft& draft) {
  const auto* index = known.weights && known.weights->column
                          ? std::get_if<int64_t>(&*known.weights->column)
                          : nullptr;
  if (index == nullptr) return absl::OkStatus();
  const auto count = static_cast<int64_t>(draft.columns().size());
  const int64_t features = ColumnCountOf(known);
  if (count == features + 2) return draft.SetWeights(static_cast<size_t>(*index));
  if (count == features && draft.drops.empty()) return absl::OkStatus();
  return draft.Bad(
      absl::StrCat("it has ", count, count == 1 ? " column" : " columns", ", the training set has ",
                   features, " of features, the label and the weights"),
      "Give the same columns, or those of the features alone to predict");
}

Status FitNames(const Schema& known, const TableHints& hints, TableDraft& draft) {
  const std::vector<std::string>& row = draft.survey.first_row();
  const HeaderFit fit = FitHeader(known, row);
  DL_RETURN_IF_ERROR(CheckNoneMissing(fit, draft.survey.first_path()));
  DL_RETURN_IF_ERROR(CheckNoneTwice(ColumnNamesOf(known), row, draft.survey.first_path()));
  const std::vector<std::string> labels = LabelNamesOf(known);
  const bool has_several = labels.size() > 1 && fit.labels.size() == labels.size();
  if (draft.table.has_labels) {
    std::string label = hints.label;
    if (label.empty() && !fit.labels.empty() && (labels.size() == 1 || has_several))
      label = labels.front();
    // A model of an earlier build does not store the name of its label.
    if (label.empty() && known.label_columns.all.empty() && fit.added.size() == 1)
      label = fit.added.front();
    draft.table.has_labels = !label.empty();
    if (!label.empty()) {
      DL_ASSIGN_OR_RETURN(const size_t column, draft.Find("--label", label));
      if (Contains(ColumnNamesOf(known), row[column])) {
        return draft.Bad(absl::StrCat("--label names ", ShownText(row[column]),
                                      ", which is a feature of the model"),
                         labels.empty() ? "Name the column of the label"
                                        : absl::StrCat("Its label is ", FirstOf(labels),
                                                       ": leave --label out, or name a column with "
                                                       "the same labels"));
      }
      draft.SetLabel(column);
    }
    if (!label.empty() && has_several && hints.label.empty()) TakeTargets(known, draft);
  }
  DL_RETURN_IF_ERROR(FitWeights(known, draft));
  std::vector<std::string> added;
  for (size_t i = 0; i < row.size(); ++i) {
    if (draft.weights == i) continue;
    const bool is_label = draft.label == i || (draft.table.has_labels && Contains(labels, row[i]));
    if (is_label || Contains(ColumnNamesOf(known), row[i])) continue;
    draft.left_out[i] = true;
    if (Contains(labels, row[i]) || Contains(WeightNamesOf(known), row[i]) ||
        draft.drops.contains(i))
      continue;
    added.push_back(row[i].empty() ? draft.Called(i) : ShownText(row[i]));
  }
  if (added.empty()) return absl::OkStatus();
  draft.Note(absl::StrCat("left out, as the training set does not have ",
                          added.size() == 1 ? "it: " : "them: ", absl::StrJoin(added, ", ")));
  return absl::OkStatus();
}

bool IsClassOf(const Schema& known, const std::string& text) {
  const std::vector<std::string>& names = known.class_names();
  const std::string shortest = CanonicalNumber(text).value_or(text);
  if (!names.empty()) return Contains(names, text) || Contains(names, shortest);
  const auto number = FieldNumber(text);
  return number && *number >= 0 && *number < static_cast<double>(known.classes()) &&
         *number == std::trunc(*number);
}

// Returns whether the column has several values, and all of them are classes of the model.
bool HasClassesAlone(const Schema& known, const ColumnProfile& column) {
  const auto is_class = [&](const auto& entry) { return IsClassOf(known, entry.first); };
  return known.label_kind() == LabelKind::kClass && column.texts().size() > 1 &&
         std::ranges::all_of(column.texts(), is_class);
}

// Adds a note if the last feature has only values that are classes: it may be the label of a table
// that lacks a feature.
void RecordClassesInFeature(const Schema& known, TableDraft& draft) {
  const size_t last = draft.columns().size() - 1;
  if (!HasClassesAlone(known, draft.columns()[last])) return;
  draft.Note(
      absl::StrCat(draft.Called(last), ": all of its values are classes of the model, and it ",
                   "is read as a feature; where it is the label, another column is missing"),
      true);
}

Status FitPlaces(const Schema& known, const TableHints& hints, TableDraft& draft) {
  DL_RETURN_IF_ERROR(FitWeightsByPlace(known, draft));
  const auto all = static_cast<int64_t>(draft.columns().size());
  const auto count = all - static_cast<int64_t>(draft.drops.size()) - (draft.weights ? 1 : 0);
  const int64_t features = ColumnCountOf(known);
  const bool wants_label = draft.table.has_labels;
  const bool may_be_feature = draft.may_lack_labels && hints.label.empty() && wants_label &&
                              known.label_kind() == LabelKind::kTarget;
  if (may_be_feature && count == features + 1) {
    return draft.Bad(
        absl::StrCat("it has ", count, " columns without names, the training set has ", features,
                     " of features; whether one has labels or is too many is not sure"),
        "Say which column has the labels, --label COLUMN, or leave one out, --drop "
        "COLUMN");
  }
  if (wants_label && (count == features + 1 || !hints.label.empty())) {
    size_t column = draft.columns().size() - 1;
    while (column > 0 && draft.drops.contains(column)) --column;
    for (const job::Column& place : known.label_columns.all) {
      if (const auto* index = std::get_if<int64_t>(&place); index != nullptr && *index < all)
        column = static_cast<size_t>(*index);
    }
    if (!hints.label.empty()) {
      DL_ASSIGN_OR_RETURN(column, draft.Find("--label", hints.label));
    }
    draft.SetLabel(column);
    return absl::OkStatus();
  }
  draft.table.has_labels = false;
  if (count == features) {
    if (wants_label) RecordClassesInFeature(known, draft);
    return absl::OkStatus();
  }
  return draft.Bad(
      absl::StrCat("it has ", count, count == 1 ? " column" : " columns", ", the training set has ",
                   features, " of features", wants_label ? " and the label" : ""),
      "Give the same columns; --drop COLUMNS leaves some out");
}

// Detects labels such as "<=50K." if the training set has "<=50K".
void TakeLabelSuffix(const Schema& known, TableDraft& draft) {
  const std::set<std::string> classes(known.class_names().begin(), known.class_names().end());
  std::string suffix;
  for (const auto& [text, occurrence] : draft.columns()[*draft.label].texts()) {
    if (classes.contains(text) || text.size() < 2) return;
    const std::string last = text.substr(text.size() - 1);
    if (static_cast<unsigned char>(last[0]) >= 0x80) return;
    if (!classes.contains(text.substr(0, text.size() - 1)) || (!suffix.empty() && suffix != last))
      return;
    suffix = last;
  }
  if (suffix.empty()) return;
  draft.table.source.label_suffix = suffix;
  draft.Note(
      absl::StrCat("labels end with ", ShownText(suffix), ", which is no part of the classes"));
}

// Returns InvalidArgument if no value of the column in the place of the label is a class.
Status CheckHasClasses(const Schema& known, const TableDraft& draft, const ColumnProfile& labels) {
  if (known.class_names().empty() && known.classes() == 0) return absl::OkStatus();
  const auto& texts = labels.texts();
  const auto is_class = [&](const auto& entry) { return IsClassOf(known, entry.first); };
  if (texts.empty() || std::ranges::any_of(texts, is_class)) return absl::OkStatus();
  const std::string classes = known.class_names().empty()
                                  ? absl::StrCat("0 to ", known.classes() - 1)
                                  : FirstOf(known.class_names());
  return draft.Bad(
      absl::StrCat(draft.Called(*draft.label), " has the place of the label, and none of its ",
                   "values, such as ", ShownText(texts.begin()->first), ", is a class: ", classes),
      "If a column is too many, leave it out, --drop COLUMN; if the labels are in another column, "
      "name it, --label COLUMN");
}

// Treats a label column without values as absent. Returns InvalidArgument if only some labels are
// missing.
Status CheckLabels(TableDraft& draft) {
  const ColumnProfile& labels = draft.columns()[*draft.label];
  if (labels.values() > 0 || labels.rows() == 0)
    return CheckNoneIsMissing(draft.QuestionOf(*draft.label), labels);
  draft.Note(absl::StrCat(draft.Called(*draft.label),
                          ": it has no labels; the table is read without them"));
  draft.left_out[*draft.label] = true;
  draft.label.reset();
  draft.table.has_labels = false;
  draft.table.source.label_column = int64_t{-1};
  return absl::OkStatus();
}

}  // namespace

Status FitToModel(const Schema& known, const TableHints& hints, TableDraft& draft) {
  job::CsvSource& source = draft.table.source;
  draft.goes_by_a_model = true;
  draft.table.has_labels = known.label_kind() != LabelKind::kNone;
  source.label_type = known.label_kind() == LabelKind::kNone     ? job::LabelType::kNone
                      : known.label_kind() == LabelKind::kTarget ? job::LabelType::kNumber
                                                                 : job::LabelType::kClass;
  const std::vector<std::string> names = ColumnNamesOf(known);
  const bool by_name = draft.HasHeader() && !names.empty();
  if (!draft.HasHeader() && !names.empty()) {
    return draft.Bad(
        absl::StrCat("it has no header, and the columns of the training set have names: ",
                     FirstOf(names)),
        "Add a first row with the names of the columns; where the first row has them, give "
        "--header "
        "yes");
  }
  DL_RETURN_IF_ERROR(by_name ? FitNames(known, hints, draft) : FitPlaces(known, hints, draft));
  if (const auto& empty = draft.survey.empty_row(); empty && !draft.label) {
    const int64_t more = draft.survey.empty_rows() - 1;
    draft.Note(
        absl::StrCat("row ", empty->row, more > 0 ? absl::StrCat(" and ", more, " more") : "",
                     more > 0 ? " have" : " has",
                     " no values, and each is an example; remove such rows"),
        true);
  }
  if (!draft.label || !source.target_columns.all.empty()) return absl::OkStatus();
  if (source.label_type == job::LabelType::kClass) {
    TakeLabelSuffix(known, draft);
    if (!by_name && hints.label.empty() && !source.label_suffix)
      DL_RETURN_IF_ERROR(CheckHasClasses(known, draft, draft.columns()[*draft.label]));
  }
  return CheckLabels(draft);
}

Status CheckFeatureOfModel(const Schema& known, size_t column, TableDraft& draft) {
  ColumnProfile& profile = draft.columns()[column];
  const FeatureColumn* of_model = KnownColumn(known, draft.survey.first_row(), column);
  ColumnGuess& guess = draft.guesses[column];
  const bool has_categories = of_model != nullptr && of_model->HasCategories();
  guess.type = has_categories ? ColumnType::kCategories : ColumnType::kDates;
  if (of_model != nullptr && !of_model->IsNumber()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(guess, GuessColumn(draft.QuestionOf(column), profile));
  if (guess.type == ColumnType::kNumbers || guess.type == ColumnType::kEmpty) {
    guess.type = ColumnType::kNumbers;
    for (const std::string& note : guess.notes)
      draft.Note(absl::StrCat(draft.Called(column), ": ", note), guess.is_doubtful);
    return absl::OkStatus();
  }
  if (!draft.HasHeader() && column + 1 == draft.columns().size() && !draft.label &&
      HasClassesAlone(known, profile)) {
    return draft.Bad(
        absl::StrCat(draft.Called(column), " has the labels, as ", ShownText(profile.first_value()),
                     ", and so a feature is missing: the training set has ", ColumnCountOf(known),
                     " columns of features"),
        "Give all columns of the training set, in the same order");
  }
  return draft.Bad(absl::StrCat(draft.Called(column), ": ", ShownText(profile.first_value()),
                                " is not a number, and the column has numbers in the training set"),
                   "Correct the values; --missing TEXT names one that stands for a missing number");
}

}  // namespace dl::dataset
