// Finds the columns of a trained model's table in another table by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/schema.h"

namespace dl::dataset {

// Returns the names of the feature columns; empty if the training set has no header.
std::vector<std::string> ColumnNamesOf(const Schema& schema);
// Returns the number of feature columns. A column may have several features.
int64_t ColumnCountOf(const Schema& schema);
// Returns the names of the label columns; empty if the training set has no header.
std::vector<std::string> LabelNamesOf(const Schema& schema);

// Returns the name of the column of weights; empty if the training set has no header or no weights.
std::vector<std::string> WeightNamesOf(const Schema& schema);

// Returns the model's column for column `index` of a table with this first row, or null. If the
// model has names, columns are matched by name, and only if the first row has at least half of the
// names. Otherwise columns are matched by position. Columns of labels and weights are skipped if
// the table has more columns than the model has feature columns. Null for all columns if
// Schema::columns() is empty. The result points into `schema`.
const FeatureColumn* KnownColumn(const Schema& schema, const std::vector<std::string>& first_row,
                                 size_t index);

// The differences between a header and the columns of a model.
struct HeaderFit {
  std::vector<std::string> missing;  // feature columns that the header lacks
  std::vector<std::string> added;    // columns that the model does not know
  std::vector<std::string> labels;   // label columns in the header
};
HeaderFit FitHeader(const Schema& schema, const std::vector<std::string>& header);

// Returns InvalidArgument if the header lacks features. The error lists them and the additional
// columns. `path` is the place of the error, here and below. It may be empty.
Status CheckNoneMissing(const HeaderFit& fit, const std::string& path);

// Returns InvalidArgument if the name of a feature occurs twice in the header, so that its column
// is ambiguous. Returns OK if the header has the same features in the same order, because their
// columns are then clear even if names repeat.
Status CheckNoneTwice(const std::vector<std::string>& features,
                      const std::vector<std::string>& header, const std::string& path);

}  // namespace dl::dataset
