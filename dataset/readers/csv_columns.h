// Which columns of a table are labels, which are features, and which of these are categories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/read_options.h"
#include "dataset/schema.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Indices from 0.
struct CsvColumns {
  int64_t count = 0;
  int64_t sequence = -1;          // says which sequence a row belongs to; -1: none does
  int64_t weight = -1;            // has the weights of examples; -1: none does
  std::vector<int64_t> labels;    // one; those of the numbers to predict, as they were named; none
  std::vector<int64_t> features;  // ascending; of a test set in the order of the training set
  std::vector<bool> categorical;  // of `features`: those that the source names
  std::vector<ColumnEncoding> dates;  // of `features`: kDate or kDateParts, else kNumber
  std::vector<bool> classes;          // of `labels`, likewise
};

// Finds the columns of a table by its first row, as the source names them. Features are found by
// their names if the table and `training`, which may be null, have names. So is the column of
// weights, if the source names none. Errors, without their
// place: no such column, a name that two have, nothing left for features, a column that is to be
// two things, other features than those of `training`.
StatusOr<CsvColumns> FindColumns(const job::CsvSource& source,
                                 const std::vector<std::string>& first_row,
                                 LabelColumns labels = LabelColumns::kAsTheSourceSays,
                                 const Schema* training = nullptr);

}  // namespace dl::dataset
