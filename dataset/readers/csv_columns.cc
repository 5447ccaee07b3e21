#include "dataset/readers/csv_columns.h"

#include <algorithm>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "dataset/readers/label_texts.h"

namespace dl::dataset {
namespace {

Status BadColumn(std::string message, std::string remedy) {
  return InvalidArgument({.message = std::move(message), .remedy = std::move(remedy)});
}

class Finder {
 public:
  Finder(const job::CsvSource& source, const std::vector<std::string>& row)
      : source_(source), row_(row), count_(static_cast<int64_t>(row.size())) {}

  // `key` names the column.
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
    return source_.header
               ? absl::StrCat("the column \"", absl::CHexEscape(row_[index].substr(0, 40)), "\"")
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

// The past of a number says something about its future.
bool LabelsAreFeatures(const job::CsvSource& source) {
  if (!source.sequences || !source.sequences->HasWindows()) return false;
  return source.sequences->past_labels.value_or(source.sequences->horizon > 0 &&
                                                source.label_type == job::LabelType::kNumber);
}

}  // namespace

StatusOr<CsvColumns> FindColumns(const job::CsvSource& source,
                                 const std::vector<std::string>& first_row, LabelColumns labelled) {
  const Finder finder(source, first_row);
  CsvColumns columns{.count = static_cast<int64_t>(first_row.size())};
  if (columns.count < 2 && labelled == LabelColumns::kAsTheSourceSays &&
      !LabelsAreFeatures(source)) {
    return BadColumn(
        "there is one column, a label and at least one feature are needed",
        absl::StrCat("Check the separator, which is \"", absl::CHexEscape(source.separator), "\""));
  }
  if (labelled == LabelColumns::kNone) {
    // What the source says of them is of the tables that have them.
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
  if (source.sequences && source.sequences->column) {
    DL_ASSIGN_OR_RETURN(columns.sequence,
                        finder.Find("sequences.column", *source.sequences->column));
  }
  const std::set<int64_t> labels(columns.labels.begin(), columns.labels.end()),
      left_out(excluded.begin(), excluded.end()), categorical(named.begin(), named.end());
  for (const int64_t index : excluded) {
    if (!labels.contains(index)) continue;
    return BadColumn(
        absl::StrCat(finder.Shown(index), " is the label, and exclude_columns names it"),
        "Take it out of exclude_columns, or set label_column to another one");
  }
  if (labels.contains(columns.sequence)) {
    return BadColumn(absl::StrCat(finder.Shown(columns.sequence),
                                  " is the label, and sequences.column names it"),
                     "Set label_column to another one");
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
    if ((labels.contains(i) && !keeps_labels) || left_out.contains(i) || i == columns.sequence)
      continue;
    columns.features.push_back(i);
    columns.categorical.push_back(categorical.contains(i));
  }
  if (columns.features.empty()) {
    return BadColumn("no column is left that could be a feature",
                     "Name fewer columns in exclude_columns and target_columns");
  }
  return columns;
}

}  // namespace dl::dataset
