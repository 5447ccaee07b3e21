// Columns of a table with categories that the training set lacks, as JSON.
#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "dataset/readers/read_options.h"

namespace dl::inference {

// Returns an array with an object for each column:
//
//   "column"    its name
//   "unknown"   number of its values that the training set lacks
//   "values"    number of all its values that are not missing
//   "example"   the first unknown value
//
// Bytes that are not UTF-8 are replaced by U+FFFD.
Json UnknownJson(const std::vector<dataset::UnknownCategories>& unknown);

}  // namespace dl::inference
