// Columns with categories that the training set lacks, as JSON.
#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "dataset/readers/read_options.h"

namespace dl::inference {

// Returns an array with an object for each column: "column", "unknown" of "values", and the first
// unknown value as "example".
Json UnknownJson(const std::vector<dataset::UnknownCategories>& unknown);

}  // namespace dl::inference
