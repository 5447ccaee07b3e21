#include "dataset/readers/table/table_draft.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "base/shell_word.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "dataset/readers/label_texts.h"

namespace dl::dataset {

namespace {

// Returns a name for a list separated by commas, in quotes if it contains commas or quotes (RFC
// 4180).
std::string ListItem(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos) return name;
  return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\"", "\"\""}}), "\"");
}

}  // namespace

std::string ShownText(const std::string& text) { return absl::StrCat("\"", Excerpt(text), "\""); }

TableDraft::TableDraft(const std::string& path, TableSurvey of_rows) : survey(std::move(of_rows)) {
  const CsvSigns& signs = survey.dialect().signs;
  table.source.path = path;
  table.report.path = path;
  table.source.separator =
      signs.blanks ? std::string(job::kSeparatedByBlanks) : std::string(1, signs.separator);
  if (signs.comment != '\0') table.source.comment = std::string(1, signs.comment);
  guesses.resize(columns().size());
  left_out.resize(columns().size());
}

std::string TableDraft::NameAt(size_t column) const {
  return HasHeader() ? survey.first_row()[column] : "";
}

job::Column TableDraft::PlaceOf(size_t column) const {
  const std::string name = NameAt(column);
  const auto& row = survey.first_row();
  const bool named = !name.empty() && std::count(row.begin(), row.end(), name) == 1;
  return named ? job::Column(name) : job::Column(static_cast<int64_t>(column));
}

std::string TableDraft::IndexText(size_t column) const {
  const auto& row = survey.first_row();
  const std::string from_begin = absl::StrCat(column);
  const bool is_name = HasHeader() && std::ranges::find(row, from_begin) != row.end();
  if (!is_name) return from_begin;
  return absl::StrCat(static_cast<int64_t>(column) - static_cast<int64_t>(row.size()));
}

std::string TableDraft::FlagText(size_t column) const {
  const job::Column place = PlaceOf(column);
  const auto* name = std::get_if<std::string>(&place);
  if (name == nullptr) return IndexText(column);
  return ShellWord(ListItem(PrintableName(RepairUtf8(*name))));
}

std::string TableDraft::Called(size_t column) const {
  const std::string name = NameAt(column);
  return absl::StrCat("column ", column + 1,
                      name.empty() ? "" : absl::StrCat(" (", ShownText(name), ")"));
}

ColumnQuestion TableDraft::QuestionOf(size_t column) const {
  return {.name = NameAt(column),
          .has_header = HasHeader(),
          .index = column,
          .called = Called(column),
          .flag = FlagText(column),
          .decimal_comma = table.source.decimal == job::Decimal::kComma,
          .may_be_of_its_own = !goes_by_a_model && !keeps.contains(column) && label != column,
          .is_label = label == column,
          .goes_by_a_model = goes_by_a_model};
}

void TableDraft::Note(std::string text, bool is_doubtful) {
  table.report.notes.push_back({.text = std::move(text), .is_doubtful = is_doubtful});
}

Status TableDraft::Bad(std::string message, std::string remedy) const {
  return InvalidArgument(
      {.message = std::move(message), .where = survey.first_path(), .remedy = std::move(remedy)});
}

void TableDraft::SetLabel(size_t column) {
  label = column;
  // By default the last column is the label.
  if (column + 1 < survey.first_row().size()) table.source.label_column = PlaceOf(column);
}

Status TableDraft::SetWeights(size_t column) {
  const bool is_other = label == column || drops.contains(column) || keeps.contains(column) ||
                        categories.contains(column) || dates.contains(column) ||
                        date_parts.contains(column);
  if (is_other) {
    return Bad(absl::StrCat(Called(column), label == column
                                                ? " is the label, and has the weights"
                                                : " has the weights, and another flag names it"),
               "Name the column in one flag alone: --label, --example-weights or another");
  }
  weights = column;
  table.source.weight_column = PlaceOf(column);
  return absl::OkStatus();
}

StatusOr<size_t> TableDraft::Find(const std::string& flag, const std::string& text) const {
  const auto& row = survey.first_row();
  const auto found = HasHeader() ? std::find(row.begin(), row.end(), text) : row.end();
  if (found != row.end()) {
    const auto first = static_cast<size_t>(found - row.begin());
    const auto other = std::find(found + 1, row.end(), text);
    if (other == row.end()) return first;
    return Bad(absl::StrCat(flag, ": two columns are named ", ShownText(text)),
               absl::StrCat("Give an index: ", IndexText(first), " or ",
                            IndexText(static_cast<size_t>(other - row.begin()))));
  }
  int64_t index = 0;
  const auto count = static_cast<int64_t>(row.size());
  if (absl::SimpleAtoi(text, &index) && index >= -count && index < count)
    return static_cast<size_t>(index < 0 ? count + index : index);
  return Bad(absl::StrCat(flag, ": there is no column ", ShownText(text),
                          HasHeader() ? DidYouMean(text, row) : ", and the table has no header"),
             HasHeader() ? absl::StrCat("Its columns are ", FirstOf(row))
                         : absl::StrCat("Give an index from 0 to ", count - 1));
}

Status TableDraft::FindAll(const std::string& flag, const std::vector<std::string>& texts,
                           std::set<size_t>& found) const {
  for (const std::string& text : texts) {
    DL_ASSIGN_OR_RETURN(const size_t column, Find(flag, text));
    found.insert(column);
  }
  return absl::OkStatus();
}

}  // namespace dl::dataset
