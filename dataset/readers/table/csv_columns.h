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

// The roles of a table's columns. A column is given by its index, from 0. `categorical` and `dates`
// have one value for each of `features`, and `classes` has one for each of `labels`.
struct CsvColumns {
  int64_t count = 0;            // number of columns in the table
  int64_t sequence = -1;        // identifies the sequence of a row; -1: none
  int64_t weight = -1;          // weight of an example; -1: none
  std::vector<int64_t> labels;  // the label, or the targets in the order of the source, or none
  // In ascending order. If FindColumns finds features by the names of the training set, they are in
  // the order of the training set. With past_labels (job::SequenceRows), the labels are also
  // features.
  std::vector<int64_t> features;
  std::vector<bool> categorical;      // whether categorical_columns names the column
  std::vector<ColumnEncoding> dates;  // kDate or kDateParts, else kNumber
  // Whether categorical_columns names the label. False for a label_column, because the source's
  // label_type decides whether it has classes.
  std::vector<bool> classes;
};

// Finds the columns that the source names. `first_row` is the first row of the table: the names of
// its columns if the source has a header. `training` is the schema of the training set, or null.
// - Features: they are found by name if the table and `training` have names, no two columns of the
//   table have one name, and neither do two of `training`. A feature that only one of them has is
//   then an error. Otherwise this function compares only the number of feature columns. Later,
//   the comparison of schemas (dataset/readers/class_labels.h) also requires equal names in equal
//   order.
// - Labels: with LabelColumns::kNone, CsvColumns::labels is empty. Columns with the names of the
//   training set's labels are then no features, except with past_labels.
// - Weights: if the source names no column, the name in `training` is used. Without a header, and
//   with rows that are steps of sequences, there are then no weights. There are also none if the
//   table lacks or excludes a column that only `training` names. A column that the source names
//   must exist, except with LabelColumns::kNone.
// Returns InvalidArgument, without a place, for a column that does not exist, a used name that two
// columns have, no column left for features, and features that differ from `training`. Also returns
// it for a column that two keys name. Exceptions are target_columns, which categorical_columns may
// name too, and exclude_columns, which may name the column of sequences.
StatusOr<CsvColumns> FindColumns(const job::CsvSource& source,
                                 const std::vector<std::string>& first_row,
                                 LabelColumns labels = LabelColumns::kAsTheSourceSays,
                                 const Schema* training = nullptr);

}  // namespace dl::dataset
