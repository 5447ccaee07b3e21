// Determines which columns of a table are labels, which are features, and which features are
// categories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/read_options.h"
#include "dataset/schema.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Column indices, counted from 0.
struct CsvColumns {
  int64_t count = 0;
  int64_t sequence = -1;        // identifies the sequence of a row; -1: none
  int64_t weight = -1;          // weight of an example; -1: none
  std::vector<int64_t> labels;  // the label, or the targets in the order of the source, or none
  // Ascending; for a test set in the order of the training set. With past_labels
  // (job::SequenceRows), the labels are among the features, too.
  std::vector<int64_t> features;
  std::vector<bool> categorical;      // for `features`: those that the source names
  std::vector<ColumnEncoding> dates;  // for `features`: kDate or kDateParts, else kNumber
  std::vector<bool> classes;          // for `labels`: those that are categories
};

// Finds the columns that the source names in the first row of a table. If the table and `training`
// (may be null) have names, and each name is unique, features are found by name. Otherwise only
// their number is compared. The column of weights is also found by the name in `training` if the
// source names none. A table that is read without labels may lack it. Returns InvalidArgument,
// without a place, for a column that does not exist, an ambiguous name, no column left for
// features, a column with two roles, and features that differ from `training`.
StatusOr<CsvColumns> FindColumns(const job::CsvSource& source,
                                 const std::vector<std::string>& first_row,
                                 LabelColumns labels = LabelColumns::kAsTheSourceSays,
                                 const Schema* training = nullptr);

}  // namespace dl::dataset
