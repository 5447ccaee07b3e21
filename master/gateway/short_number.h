// Numbers of answers: floats as JSON.
#pragma once

#include "base/json_fwd.h"

namespace dl::master {

// Returns the number whose decimal text is the shortest one that names the float; null for missing
// and infinite values, which JSON lacks.
Json ShortNumberJson(float value);

}  // namespace dl::master
