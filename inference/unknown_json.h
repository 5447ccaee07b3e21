// Columns of a table with categories that the training set lacks, as JSON.
#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "dataset/readers/read_options.h"

namespace dl::inference {

// Returns an array with an object for each column: its name as "column", the number of its values
// that the training set lacks as "unknown", the number of all its values that are not missing as
// "values", and the first unknown value as "example". Bytes that are not UTF-8 are replaced by
// U+FFFD.
Json UnknownJson(const std::vector<dataset::UnknownCategories>& unknown);

}  // namespace dl::inference
