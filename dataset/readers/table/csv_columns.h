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

// The roles of a table's columns. A column is given by its index, from 0.
struct CsvColumns {
  int64_t count = 0;            // number of columns in the table
  int64_t sequence = -1;        // identifies the sequence of a row; -1: none
  int64_t weight = -1;          // weight of an example; -1: none
  std::vector<int64_t> labels;  // the label, or the targets in the order of the source, or none
  // In ascending order. If FindColumns finds features by the names of the training set, they are in
  // the order of the training set. With past_labels (job::SequenceRows), the labels are also
  // features.
  std::vector<int64_t> features;
  // Each of `features` has a value in these lists.
  std::vector<bool> categorical;      // whether categorical_columns names the column
  std::vector<ColumnEncoding> dates;  // kDate or kDateParts, else kNumber
  // For each of `labels`: whether categorical_columns names it. False for a label_column, because
  // the source's label_type decides whether it has classes.
  std::vector<bool> classes;
};

// Finds the columns that the source names. `first_row` is the first row of the table: the names of
// its columns if the source has a header. `training` is the schema of the training set, or null.
// - Features: if the table and `training` have names, and each name is unique, features are found
//   by name. Otherwise only the number of feature columns is compared with `training`.
// - Labels: with LabelColumns::kNone, CsvColumns::labels is empty. Columns with the names of the
//   training set's labels are then no features, except with past_labels.
// - Weights: if the source names no column, the name in `training` is used. This requires a header,
//   and rows that are examples and not steps of sequences. The table may lack or exclude a column
//   that only `training` names. A column that the source names must exist, except with
//   LabelColumns::kNone.
// Returns InvalidArgument, without a place, for a column that does not exist, an ambiguous name, no
// column left for features, a column with two roles, and features that differ from `training`.
StatusOr<CsvColumns> FindColumns(const job::CsvSource& source,
                                 const std::vector<std::string>& first_row,
                                 LabelColumns labels = LabelColumns::kAsTheSourceSays,
                                 const Schema* training = nullptr);

}  // namespace dl::dataset
