// The columns of a trained model's table, found in another table by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/schema.h"

namespace dl::dataset {

// Names of the columns of features; empty where the training set has no header.
std::vector<std::string> ColumnNamesOf(const Schema& schema);
// Columns of features, which may be more than one feature each.
int64_t ColumnCountOf(const Schema& schema);
// Names of the columns of labels; empty where the training set has no header.
std::vector<std::string> LabelNamesOf(const Schema& schema);

// Name of the column of weights, if the training set has a header and weights; else empty.
std::vector<std::string> WeightNamesOf(const Schema& schema);

// The column of the model that column `index` of a table with this first row is, or null: by name,
// where the first row has names of the model; by place, where the model has no names.
const FeatureColumn* KnownColumn(const Schema& schema, const std::vector<std::string>& first_row,
                                 size_t index);

// How a header fits a model.
struct HeaderFit {
  std::vector<std::string> missing;  // columns of features that the header lacks
  std::vector<std::string> added;    // columns that the model does not know
  std::vector<std::string> labels;   // columns of labels that the header has
};
HeaderFit FitHeader(const Schema& schema, const std::vector<std::string>& header);

// InvalidArgument for a header that lacks features: it lists them, and what there is in their
// place.
Status CheckNoneMissing(const HeaderFit& fit, const std::string& path);

// InvalidArgument if a feature's name occurs twice in the header, so that its column is not known.
// Headers that have the features in the same order are accepted.
Status CheckNoneTwice(const std::vector<std::string>& features,
                      const std::vector<std::string>& header, const std::string& path);

}  // namespace dl::dataset
