// Examples without labels from JSON, as features for a trained model.
#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "dataset/schema.h"

namespace dl::inference {

// Returns the examples of a list of rows, one example per row. `training` is the schema of the
// training set. A row is:
//
// - for tables: an object with a value for each column of features, by name, or a list of these
//   values in the order of the columns. null is a missing value. The columns of labels and weights
//   may be present and are ignored. The values are read as `dl-submit predict` reads the fields of
//   a table.
// - for arrays: a list of all values of the example, in the order of Schema::feature_shape, such as
//   channels, rows and columns of an image. Inner lists must have these extents. For sequences of
//   varying length, the values of the existing steps.
//
// A table without names and categories is an array here. Returns InvalidArgument, which names the
// row, for anything else, and Unimplemented for tables whose rows are steps of sequences. Also
// returns errors of the system about the file in memory from which tables are read. If `unknown` is
// not null, it receives the columns with categories that the training set lacks.
StatusOr<dataset::ExampleTable> TableOfRows(
    const Json& rows, const dataset::Schema& training,
    std::vector<dataset::UnknownCategories>* unknown = nullptr);

}  // namespace dl::inference
