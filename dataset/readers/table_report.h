// Reports what a bare table was taken for, column by column, for people and programs to check.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dl::dataset {

struct ColumnReport {
  std::string name;   // empty without a header
  int64_t index = 0;  // from 0
  std::string type;   // "numbers", "categories", "texts", "dates", "empty"
  int64_t distinct = 0;
  bool distinct_is_exact = true;
  int64_t missing = 0;
  int64_t unknown = 0;  // values that the trained model does not know
  std::string example;
  std::string use;  // "feature", "3 features", "label", "weights", "left out"
  bool is_doubtful = false;
};

// A sentence about the table; of a doubtful choice it names the flag that changes it.
struct TableNote {
  std::string text;
  bool is_doubtful = false;
};

struct TableReport {
  std::string path;
  int64_t rows = 0;
  bool has_header = false;
  std::string separator;  // "a tab", "\",\""
  bool has_decimal_commas = false;
  std::vector<ColumnReport> columns;
  // "3 classes: setosa 50, versicolor 50, virginica 50", "numbers from 3 to 8"; empty: none.
  std::string label;
  std::vector<std::pair<std::string, int64_t>> classes;  // and their counts, where they are few
  std::vector<TableNote> notes;
};

}  // namespace dl::dataset
