// Guesses how to read a table of which nothing is known but its file, and checks the guess against
// all of its rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table_report.h"
#include "dataset/schema.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// The user's statements about the table. Columns are names of the header, or indices from 0, from
// the end if they are negative.
struct TableHints {
  std::string label;                                            // empty: to be guessed
  std::string weights;                                          // empty: there are none
  bool labels_are_numbers = false, labels_are_classes = false;  // neither: to be guessed
  std::optional<bool> has_header;
  std::string separator;  // as job::CsvSource has it; empty: to be guessed
  std::optional<job::Decimal> decimal;
  std::vector<std::string> drop, keep, categories;
  std::vector<std::string> dates, date_parts;  // that become days, and parts
  std::optional<job::DateOrder> date_order;
  std::vector<std::string> missing;  // texts that stand for missing values, beside the usual ones
};

struct TableGuessOptions {
  TableHints hints;
  // A trained model, or null. Its features are found by their names in any order, other columns are
  // left out, and the label is its label.
  const Schema* known = nullptr;
  int64_t memory_bytes = int64_t{64} << 20;  // what the counts of all columns may take
};

struct GuessedTable {
  job::CsvSource source;
  TableReport report;
  // False where the table of a known model has no column of labels. The source names one then that
  // is not there: read it with LabelColumns::kNone.
  bool has_labels = true;
  // The names, types and labels that a test set must have, with categories where they are few:
  // `known` for it.
  Schema expected;
  // Whether a table for a known model lacks values of numbers, or of categories.
  bool lacks_numbers = false, lacks_categories = false;
};

// `path` is a file or a pattern. Errors name a row, a column and the flag that settles the matter.
StatusOr<GuessedTable> GuessTable(const std::string& path, const TableGuessOptions& options = {});

}  // namespace dl::dataset
