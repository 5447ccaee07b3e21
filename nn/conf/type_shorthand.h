// "relu" for {"type": "relu"}: an object of which only the type is meant, written as its word.
#pragma once

#include "base/json.h"

namespace dl::nn {

inline Json TypeInFull(const Json& json) { return json.is_string() ? Json{{"type", json}} : json; }

}  // namespace dl::nn
