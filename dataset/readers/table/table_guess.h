// Guesses how to read a table of which only the path is known, and checks the guess against all
// rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table/table_report.h"
#include "dataset/schema.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Statements of the user about the table. Columns are names of the header, or indices from 0;
// negative indices count from the end.
struct TableHints {
  std::string label;                                            // empty: guessed
  std::string weights;                                          // empty: no weights
  bool labels_are_numbers = false, labels_are_classes = false;  // neither: guessed
  std::optional<bool> has_header;
  std::string separator;  // as in job::CsvSource; empty: guessed
  std::optional<job::Decimal> decimal;
  std::vector<std::string> drop, keep, categories;
  // Columns that become days, and columns that become parts.
  std::vector<std::string> dates, date_parts;
  std::optional<job::DateOrder> date_order;
  std::vector<std::string> missing;  // texts that mean a missing value, besides the usual ones
};

struct TableGuessOptions {
  TableHints hints;
  // Schema of a trained model, or null. Its features are found by name in any order, and other
  // columns are left out. If the model has no names, its features are found by position. The label
  // is the label of the model.
  const Schema* known = nullptr;
  // Whether examples for the model may lack labels, as for predictions. A table without names that
  // has one column more than the features, of numbers, is then an error without hints.label: the
  // column may be a label or a feature too many.
  bool may_lack_labels = false;
  int64_t memory_bytes = int64_t{64} << 20;  // for the statistics of all columns
  int64_t threads = 0;                       // as SurveyOptions::threads
};

struct GuessedTable {
  job::CsvSource source;
  TableReport report;
  // False if a table for a known model has no label column, or no values in it. The label_column of
  // the source then has no meaning, and the source must be read with LabelColumns::kNone.
  bool has_labels = true;
  // Names, types and labels that a test set must have, with categories if they are few. Used as
  // `known` for the test set.
  Schema expected;
  // Whether a table for a known model lacks values of numbers, or of categories.
  bool lacks_numbers = false, lacks_categories = false;
};

// Guesses how to read the table. `path` is a file or a pattern. Returns the errors of
// TableSurvey::Read. Returns InvalidArgument if the table cannot be read without more hints, or
// contradicts the hints or the model. The error names the row or column that is wrong, and the flag
// that resolves the question, if there are such.
StatusOr<GuessedTable> GuessTable(const std::string& path, const TableGuessOptions& options = {});

}  // namespace dl::dataset
