// Numbers of float32 as JSON.
#pragma once

#include "base/json_fwd.h"

namespace dl::inference {

// Returns `value` with the fewest digits that give the same float32. If `origin` is not 0, returns
// value + origin, computed in float64. Returns null if `value` is not finite.
Json NumberJson(float value, double origin = 0);

}  // namespace dl::inference
