// The state of a guess about a table: what its rows showed, and what was decided so far.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table/column_guess.h"
#include "dataset/readers/table/table_guess.h"
#include "dataset/readers/table/table_survey.h"

namespace dl::dataset {

// Columns are indices from 0. Not thread-safe.
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
  // Returns the index of the column for a flag. Counts from the end if the index from 0 is also the
  // name of a column.
  std::string IndexText(size_t column) const;
  std::string Called(size_t column) const;  // "column 2 ("age")", counted from 1
  ColumnQuestion QuestionOf(size_t column) const;

  // Adds a note to the report.
  void Note(std::string text, bool is_doubtful = false);
  // Returns InvalidArgument about the table.
  Status Bad(std::string message, std::string remedy) const;
  void SetLabel(size_t column);
  // Returns InvalidArgument if the column is the label, or if another flag names it.
  Status SetWeights(size_t column);

  // Returns the column for the text of a flag: a name of the header, or else an index from 0, or a
  // negative index from the end. Returns InvalidArgument if there is none, or if two columns have
  // the name.
  StatusOr<size_t> Find(const std::string& flag, const std::string& text) const;
  // Adds the columns for all texts of a flag to `found`. Errors are those of Find.
  Status FindAll(const std::string& flag, const std::vector<std::string>& texts,
                 std::set<size_t>& found) const;

  TableSurvey survey;
  GuessedTable table;
  std::set<size_t> drops, keeps, categories, dates, date_parts;  // columns that flags name
  std::vector<ColumnGuess> guesses;                              // of all columns
  std::vector<bool> left_out;
  std::optional<size_t> label, weights;
  bool label_is_doubtful = false;
  bool goes_by_a_model = false;
  bool may_lack_labels = false;  // as TableGuessOptions::may_lack_labels
};

// Decides columns by a trained model: its features, found by name or position, and its label.
// Without a column for the label, or if the column has no values, sets table.has_labels to false.
// Returns InvalidArgument if the table lacks features, if it has no header but the model has names,
// or if only some labels are missing.
Status FitToModel(const Schema& known, const TableHints& hints, TableDraft& draft);
// Returns InvalidArgument if the values of a feature do not have the type of the model's feature.
Status CheckFeatureOfModel(const Schema& known, size_t column, TableDraft& draft);

// Guesses the types of all features, and leaves out columns whose values belong to single rows.
// Returns the errors of GuessColumn, and InvalidArgument if no feature is left.
Status GuessFeatures(TableDraft& draft);

// Returns GuessedTable::expected of the draft.
Schema ExpectedSchema(TableDraft& draft);

// Writes the decisions into the report of the draft.
void ReportTable(TableDraft& draft);

// Returns an excerpt of `text` in quotes, without control characters.
std::string ShownText(const std::string& text);

}  // namespace dl::dataset
