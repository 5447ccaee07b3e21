// CSV tables: one column holds the label, all others are numeric features.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Features are float32, read without locale. Class labels are texts (readers/label_texts.h),
// targets are one number. A missing value (an empty field, "?", "NA", "NaN", "null") and everything
// else that is no finite number is an error with file, row and column. Of several files each has
// the header, where there is one, with the same names in the same order.
StatusOr<ExampleTable> ReadCsv(const job::CsvSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
