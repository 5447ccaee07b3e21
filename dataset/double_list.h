// Lists of doubles in stored documents.
#pragma once

#include <string_view>
#include <vector>

#include "base/json_fwd.h"

namespace dl {
class JsonObjectReader;  // base/json.h
}

namespace dl::dataset {

// Appends the numbers at `key` to `out`; nothing when the key is absent. Adds an error to `reader`
// when the value is no list of numbers.
void ReadDoubles(JsonObjectReader& reader, std::string_view key, std::vector<double>& out);

}  // namespace dl::dataset
