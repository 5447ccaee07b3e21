// Forward declarations for base/json.h. The library's own header adds about a second of compile
// time to every source that includes it.
#pragma once

#include "nlohmann/json_fwd.hpp"

namespace dl {

using Json = nlohmann::json;  // keys are sorted, so dump() is canonical
class JsonObjectReader;

}  // namespace dl
