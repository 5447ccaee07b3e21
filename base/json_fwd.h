// Forward declarations of the types in base/json.h. A header that only names these types includes
// this file, because base/json.h includes nlohmann/json.hpp, which adds about a second of compile
// time to every source that includes it.
#pragma once

#include "nlohmann/json_fwd.hpp"

namespace dl {

using Json = nlohmann::json;  // keys are sorted, so dump() is canonical
class JsonObjectReader;

}  // namespace dl
