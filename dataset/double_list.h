// Reads lists of doubles from stored documents.
#pragma once

#include <string_view>
#include <vector>

#include "base/json_fwd.h"

namespace dl {
class JsonObjectReader;  // see base/json.h
}

namespace dl::dataset {

// Appends the numbers at `key` to `out`. Does nothing if the key is absent. Adds an error to
// `reader` if the value is not a list of numbers.
void ReadDoubles(JsonObjectReader& reader, std::string_view key, std::vector<double>& out);

}  // namespace dl::dataset
