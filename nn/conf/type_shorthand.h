// Expands "relu" to {"type": "relu"}. The short form is allowed for an object whose other keys have
// their defaults.
#pragma once

#include "base/json.h"

namespace dl::nn {

inline Json TypeInFull(const Json& json) { return json.is_string() ? Json{{"type", json}} : json; }

}  // namespace dl::nn
