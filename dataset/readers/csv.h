// CSV tables: one column holds the label, all others are numeric features.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

struct CsvOptions {
  std::string path;  // plain or gzip
  char separator = ',';
  bool header = true;        // the first row holds the columns' names
  std::string label_column;  // by name (needs the header); when empty:
  int64_t label_index = -1;  // from 0; negative ones count from the end
  LabelKind label_kind = LabelKind::kClass;
  const Schema* training = nullptr;  // for a test split: class names map as in the training split
  RowMemory memory;
};

// Features are float32, read without locale. Class labels are texts: the distinct ones in order
// become the classes, by value when all are whole numbers, else by bytes. Targets are one number. A
// missing value (an empty field, "?", "NA", "NaN", "null") and everything else that is no finite
// number is an error with file, row and column.
StatusOr<ExampleTable> ReadCsv(const CsvOptions& options);

}  // namespace dl::dataset
