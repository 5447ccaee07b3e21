// The names of base/json.h, for headers that only pass them on: the library's own header costs a
// second in every source that includes it.
#pragma once

#include "nlohmann/json_fwd.hpp"

namespace dl {

using Json = nlohmann::json;  // keys in sorted order: dump() is canonical
class JsonObjectReader;

}  // namespace dl
