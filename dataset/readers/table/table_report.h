// Reports how a table is read, column by column, for users and programs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dl::dataset {

struct ColumnReport {
  std::string name;   // empty without a header
  int64_t index = 0;  // from 0
  std::string type;   // "numbers", "categories", "texts", "dates", "empty"; of a label "classes"
  int64_t distinct = 0;
  bool distinct_is_exact = true;
  int64_t missing = 0;
  int64_t unknown = 0;  // values that the trained model does not know
  std::string example;
  std::string use;  // "feature", "3 features", "feature, mean if missing", "label", "weights", ...
  bool is_doubtful = false;
};

// A sentence about the table. For a doubtful choice it names the flag that changes it.
struct TableNote {
  std::string text;
  bool is_doubtful = false;
};

struct TableReport {
  std::string path;
  int64_t rows = 0;
  bool has_header = false;
  std::string separator;  // as SeparatorText returns it (csv_dialect.h)
  bool has_decimal_commas = false;
  std::vector<ColumnReport> columns;
  // "3 classes" or "numbers from 3 to 8"; empty: no label.
  std::string label;
  // Classes and their counts, if there are few.
  std::vector<std::pair<std::string, int64_t>> classes;
  std::vector<TableNote> notes;
};

}  // namespace dl::dataset
