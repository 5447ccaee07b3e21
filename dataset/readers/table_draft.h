// A table while it is guessed: what its rows showed, and what was decided so far.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/column_guess.h"
#include "dataset/readers/table_guess.h"
#include "dataset/readers/table_survey.h"

namespace dl::dataset {

// Columns are places, from 0. Not thread-safe.
struct TableDraft {
  TableDraft(const std::string& path, TableSurvey of_rows);

  std::vector<ColumnProfile>& columns() { return survey.columns(); }
  bool HasHeader() const { return table.source.header; }
  bool IsFeature(size_t column) const {
    return label != column && weights != column && !left_out[column];
  }
  std::string NameAt(size_t column) const;    // empty without a header
  job::Column PlaceOf(size_t column) const;   // as a source names it
  std::string FlagText(size_t column) const;  // as a flag on a command line names it
  // The index of the column as a flag gives it: from the end where the index from 0 is the name of
  // a column.
  std::string IndexText(size_t column) const;
  std::string Called(size_t column) const;  // "column 2 ("age")", counted from 1
  ColumnQuestion QuestionOf(size_t column) const;

  void Note(std::string text, bool is_doubtful = false);
  Status Bad(std::string message, std::string remedy) const;
  void SetLabel(size_t column);
  // InvalidArgument: the column is the label, or a flag says that it is something else.
  Status SetWeights(size_t column);

  // The column of a flag's text: a name of the header, or else an index. InvalidArgument: there is
  // none, or two columns have the name.
  StatusOr<size_t> Find(const std::string& flag, const std::string& text) const;
  Status FindAll(const std::string& flag, const std::vector<std::string>& texts,
                 std::set<size_t>& found) const;

  TableSurvey survey;
  GuessedTable table;
  std::set<size_t> drops, keeps, categories, dates, date_parts;  // that flags name
  std::vector<ColumnGuess> guesses;                              // of all columns
  std::vector<bool> left_out;
  std::optional<size_t> label, weights;
  bool label_is_doubtful = false;
  bool goes_by_a_model = false;
};

// Decides of each column what a trained model says: features by its names or places, and its label.
Status FitToModel(const Schema& known, const TableHints& hints, TableDraft& draft);
// InvalidArgument if the values of a feature are not of the model's type.
Status CheckFeatureOfModel(const Schema& known, size_t column, TableDraft& draft);

// Writes what was decided into the draft's report.
void ReportTable(TableDraft& draft);

// `text` in quotes, without control characters.
std::string ShownText(const std::string& text);

}  // namespace dl::dataset
