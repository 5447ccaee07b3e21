// Which columns of a table are labels, which are features, and which of these are categories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/read_options.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Indices from 0.
struct CsvColumns {
  int64_t count = 0;
  int64_t sequence = -1;          // says which sequence a row belongs to; -1: none does
  std::vector<int64_t> labels;    // one; those of the numbers to predict, as they were named; none
  std::vector<int64_t> features;  // ascending
  std::vector<bool> categorical;  // of `features`: those that the source names
  std::vector<bool> classes;      // of `labels`, likewise
};

// What the source says about a table whose first row is this. Errors, without their place: no such
// column, a name that two have, nothing left for features, a column that is to be two things.
StatusOr<CsvColumns> FindColumns(const job::CsvSource& source,
                                 const std::vector<std::string>& first_row,
                                 LabelColumns labels = LabelColumns::kAsTheSourceSays);

}  // namespace dl::dataset
