#include "dataset/readers/table/csv_columns.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/suggest.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/table/table_columns.h"

namespace dl::dataset {
namespace {

Status BadColumn(std::string message, std::string remedy) {
  return InvalidArgument({.message = std::move(message), .remedy = std::move(remedy)});
}

class Finder {
 public:
  Finder(const job::CsvSource& source, const std::vector<std::string>& row)
      : source_(source), row_(row), count_(static_cast<int64_t>(row.size())) {}

  // Returns the index of a column. `key` is the setting that names it.
  StatusOr<int64_t> Find(const std::string& key, const job::Column& column) const {
    if (const auto* name = std::get_if<std::string>(&column)) return Named(key, *name);
    const int64_t index = std::get<int64_t>(column);
    const int64_t found = index < 0 ? count_ + index : index;
    if (found >= 0 && found < count_) return found;
    return BadColumn(absl::StrCat("there is no column ", index, ": the row has ", count_),
                     absl::StrCat("Set ", key, " to an index from 0 to ", count_ - 1, ", or from ",
                                  -count_, " to -1, which count from the end"));
  }
  StatusOr<std::vector<int64_t>> FindAll(const std::string& key,
                                         const job::Columns& columns) const {
    std::vector<int64_t> found;
    for (const job::Column& column : columns.all) {
      DL_ASSIGN_OR_RETURN(const int64_t index, Find(key, column));
      if (std::find(found.begin(), found.end(), index) != found.end()) {
        return BadColumn(absl::StrCat(key, " names ", Shown(index), " twice"),
                         "Name each column once");
      }
      found.push_back(index);
    }
    return found;
  }
  std::string Shown(int64_t index) const {
    return source_.header ? absl::StrCat("the column \"", Excerpt(row_[index]), "\"")
                          : absl::StrCat("column ", index);
  }

 private:
  StatusOr<int64_t> Named(const std::string& key, const std::string& name) const {
    if (!source_.header) {
      return BadColumn(absl::StrCat(key == "label_column" ? "a label column" : key,
                                    " is named, but the file has no header"),
                       "Give its index instead");
    }
    const auto found = std::find(row_.begin(), row_.end(), name);
    if (found == row_.end()) {
      return BadColumn(absl::StrCat("there is no column \"", name, "\"", DidYouMean(name, row_)),
                       absl::StrCat("Set ", key, " to one of ", FirstOf(row_)));
    }
    if (std::count(row_.begin(), row_.end(), name) > 1) {
      return BadColumn(absl::StrCat("two columns are named \"", name, "\""),
                       absl::StrCat("Give the index of the column in ", key, ", from 0"));
    }
    return found - row_.begin();
  }

  const job::CsvSource& source_;
  const std::vector<std::string>& row_;
  const int64_t count_;
};

// Returns whether labels are also features: earlier values of a number help to predict later ones.
bool LabelsAreFeatures(const job::CsvSource& source) {
  if (!source.sequences || !source.sequences->HasWindows()) return false;
  return source.sequences->past_labels.value_or(source.sequences->horizon > 0 &&
                                                source.label_type == job::LabelType::kNumber);
}

}  // namespace

namespace {

bool AreUnique(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

// Puts the features into the order of the training set.
Status OrderByNames(const std::vector<std::string>& names, const std::vector<std::string>& row,
                    CsvColumns& columns) {
  std::vector<std::string> own;
  for (const int64_t feature : columns.features) own.push_back(row[feature]);
  HeaderFit fit;
  for (const std::string& name : names) {
    if (std::find(own.begin(), own.end(), name) == own.end()) fit.missing.push_back(name);
  }
  for (const std::string& name : own) {
    if (std::find(names.begin(), names.end(), name) == names.end()) fit.added.push_back(name);
  }
  DL_RETURN_IF_ERROR(CheckNoneMissing(fit, ""));
  DL_RETURN_IF_ERROR(CheckNoneTwice(names, own, ""));
  if (own == names) return absl::OkStatus();
  if (!fit.added.empty()) {
    return BadColumn(
        absl::StrCat("the training split has no column \"", Excerpt(fit.added.front()), "\""),
        "Leave it out with exclude_columns, or give both splits the same columns");
  }
  CsvColumns ordered = columns;
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t place = std::find(own.begin(), own.end(), names[i]) - own.begin();
    ordered.features[i] = columns.features[place];
    ordered.categorical[i] = columns.categorical[place];
    ordered.dates[i] = columns.dates[place];
  }
  columns = std::move(ordered);
  return absl::OkStatus();
}

// Removes label columns from the features. A table that is read without labels may still have them.
void LeaveLabelsOut(const Schema& training, const std::vector<std::string>& row,
                    CsvColumns& columns) {
  const std::vector<std::string> labels = LabelNamesOf(training);
  CsvColumns kept = columns;
  kept.features.clear();
  kept.categorical.clear();
  kept.dates.clear();
  for (size_t i = 0; i < columns.features.size(); ++i) {
    const std::string& name = row[columns.features[i]];
    if (std::find(labels.begin(), labels.end(), name) != labels.end()) continue;
    kept.features.push_back(columns.features[i]);
    kept.categorical.push_back(columns.categorical[i]);
    kept.dates.push_back(columns.dates[i]);
  }
  columns = std::move(kept);
}

// Checks that the features are those of the training set, and puts them into its order.
Status FitTraining(const job::CsvSource& source, const std::vector<std::string>& row,
                   LabelColumns labelled, const Schema& training, CsvColumns& columns) {
  // The comparison of schemas reports this.
  if (training.feature_shape.size() > 2) return absl::OkStatus();
  const std::vector<std::string> names = ColumnNamesOf(training);
  if (source.header && !names.empty() && AreUnique(names) && AreUnique(row))
    return OrderByNames(names, row, columns);
  const auto own = static_cast<int64_t>(columns.features.size());
  const int64_t count = ColumnCountOf(training);
  if (own == count) return absl::OkStatus();
  const bool has_label = labelled == LabelColumns::kNone && own == count + 1;
  return BadColumn(
      absl::StrCat("it has ", own, " columns of features, the training split has ", count),
      has_label ? "Where one of them is the label, leave --no-labels out"
                : "Give both splits the same columns; exclude_columns leaves some out");
}

}  // namespace

namespace {

// Returns the column of weights, or -1. It is the column that the source names, or else the column
// with the name of that in the training set. A table that is read without labels may lack the
// column.
StatusOr<int64_t> FindWeights(const Finder& finder, const job::CsvSource& source,
                              const std::vector<std::string>& row, LabelColumns labelled,
                              const Schema* training) {
  const auto count = static_cast<int64_t>(row.size());
  const auto has = [&](const job::Column& column) {
    if (const auto* name = std::get_if<std::string>(&column))
      return std::ranges::find(row, *name) != row.end();
    return training == nullptr || count > ColumnCountOf(*training);
  };
  if (source.weight_column) {
    if (labelled == LabelColumns::kNone && !has(*source.weight_column)) return -1;
    return finder.Find("weight_column", *source.weight_column);
  }
  const bool may_have = training != nullptr && training->weights && training->weights->column &&
                        source.header && !source.sequences;
  if (!may_have) return -1;
  const job::Column& column = *training->weights->column;
  const bool is_left_out =
      std::ranges::find(source.exclude_columns.all, column) != source.exclude_columns.all.end();
  if (!std::holds_alternative<std::string>(column) || is_left_out || !has(column)) return -1;
  return finder.Find("weight_column", column);
}

// A column that only one key of the source may name.
struct OwnColumn {
  int64_t index = -1;  // -1: there is none
  const char* meaning = "";
  const char* key = "";
};

// Returns InvalidArgument if one of the other keys also names the column.
Status CheckNamedOnce(const Finder& finder, const OwnColumn& column,
                      const std::vector<std::pair<std::string, std::set<int64_t>>>& others) {
  for (const auto& [key, named] : others) {
    if (column.index < 0 || !named.contains(column.index)) continue;
    return BadColumn(
        absl::StrCat(finder.Shown(column.index), " ", column.meaning, ", and ", key,
                     " names it too"),
        absl::StrCat("Name it in ", column.key, " alone, or name another column there"));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<CsvColumns> FindColumns(const job::CsvSource& source,
                                 const std::vector<std::string>& first_row, LabelColumns labelled,
                                 const Schema* training) {
  const Finder finder(source, first_row);
  CsvColumns columns{.count = static_cast<int64_t>(first_row.size())};
  if (columns.count < 2 && labelled == LabelColumns::kAsTheSourceSays &&
      !LabelsAreFeatures(source)) {
    return BadColumn(
        "there is one column, a label and at least one feature are needed",
        absl::StrCat("Check the separator, which is \"", Excerpt(source.separator), "\""));
  }
  if (labelled == LabelColumns::kNone) {
    // Keys of the source about labels apply only to tables that have labels.
  } else if (source.target_columns.all.empty()) {
    DL_ASSIGN_OR_RETURN(const int64_t label, finder.Find("label_column", source.label_column));
    columns.labels = {label};
  } else {
    DL_ASSIGN_OR_RETURN(columns.labels, finder.FindAll("target_columns", source.target_columns));
  }
  DL_ASSIGN_OR_RETURN(const std::vector<int64_t> excluded,
                      finder.FindAll("exclude_columns", source.exclude_columns));
  job::Columns words = source.categorical_columns;
  if (labelled == LabelColumns::kNone) {
    std::erase_if(words.all, [&](const job::Column& column) {
      return std::ranges::find(source.target_columns.all, column) !=
             source.target_columns.all.end();
    });
  }
  DL_ASSIGN_OR_RETURN(const std::vector<int64_t> named,
                      finder.FindAll("categorical_columns", words));
  DL_ASSIGN_OR_RETURN(const std::vector<int64_t> dates,
                      finder.FindAll("date_columns", source.date_columns));
  DL_ASSIGN_OR_RETURN(const std::vector<int64_t> parts,
                      finder.FindAll("date_part_columns", source.date_part_columns));
  if (source.sequences && source.sequences->column) {
    DL_ASSIGN_OR_RETURN(columns.sequence,
                        finder.Find("sequences.column", *source.sequences->column));
  }
  DL_ASSIGN_OR_RETURN(columns.weight, FindWeights(finder, source, first_row, labelled, training));
  const std::set<int64_t> labels(columns.labels.begin(), columns.labels.end()),
      left_out(excluded.begin(), excluded.end()), categorical(named.begin(), named.end());
  const char* const label_key =
      source.target_columns.all.empty() ? "label_column" : "target_columns";
  std::vector<std::pair<std::string, std::set<int64_t>>> others = {
      {label_key, labels},
      {"categorical_columns", categorical},
      {"date_columns", {dates.begin(), dates.end()}},
      {"date_part_columns", {parts.begin(), parts.end()}},
      {"weight_column", {columns.weight}}};
  DL_RETURN_IF_ERROR(CheckNamedOnce(
      finder, {columns.sequence, "tells the sequences apart", "sequences.column"}, others));
  others.back() = {"exclude_columns", left_out};
  DL_RETURN_IF_ERROR(
      CheckNamedOnce(finder, {columns.weight, "has the weights", "weight_column"}, others));
  for (const int64_t index : excluded) {
    if (!labels.contains(index)) continue;
    return BadColumn(
        absl::StrCat(finder.Shown(index), " is the label, and exclude_columns names it"),
        "Take it out of exclude_columns, or set label_column to another one");
  }
  for (const auto* named_dates : {&dates, &parts}) {
    for (const int64_t index : *named_dates) {
      const bool twice =
          named_dates == &parts && std::find(dates.begin(), dates.end(), index) != dates.end();
      if (!labels.contains(index) && !left_out.contains(index) && !categorical.contains(index) &&
          !twice) {
        continue;
      }
      return BadColumn(absl::StrCat(finder.Shown(index), " is among the dates, and is also ",
                                    labels.contains(index)     ? "the label"
                                    : left_out.contains(index) ? "left out"
                                    : twice                    ? "among the dates with parts"
                                                               : "a category"),
                       "Name it once");
    }
  }
  for (const int64_t index : categorical) {
    const bool is_label = labels.contains(index);
    if (is_label ? !source.target_columns.all.empty() : !left_out.contains(index)) continue;
    return BadColumn(absl::StrCat("categorical_columns names ", finder.Shown(index), ", which is ",
                                  is_label ? "the label" : "left out"),
                     "Name features there, or some of target_columns: a label alone is a class by "
                     "its label_type");
  }
  for (const int64_t index : columns.labels) columns.classes.push_back(categorical.contains(index));
  const bool keeps_labels = LabelsAreFeatures(source);
  for (int64_t i = 0; i < columns.count; ++i) {
    if ((labels.contains(i) && !keeps_labels) || left_out.contains(i) || i == columns.sequence ||
        i == columns.weight)
      continue;
    columns.features.push_back(i);
    columns.categorical.push_back(categorical.contains(i));
    const auto of = [i](const std::vector<int64_t>& named) {
      return std::find(named.begin(), named.end(), i) != named.end();
    };
    columns.dates.push_back(of(dates)   ? ColumnEncoding::kDate
                            : of(parts) ? ColumnEncoding::kDateParts
                                        : ColumnEncoding::kNumber);
  }
  if (labelled == LabelColumns::kNone && training != nullptr && source.header && !keeps_labels)
    LeaveLabelsOut(*training, first_row, columns);
  if (columns.features.empty()) {
    return BadColumn("no column is left that could be a feature",
                     "Name fewer columns in exclude_columns, target_columns and weight_column");
  }
  if (training != nullptr)
    DL_RETURN_IF_ERROR(FitTraining(source, first_row, labelled, *training, columns));
  return columns;
}

}  // namespace dl::dataset
