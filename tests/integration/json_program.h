// Programs of the build that print one JSON document and end.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace dl::test {

// What the program printed. Everything else that it does, and 300 s without an end, is a failure of
// the test; null then.
Json JsonOf(const std::vector<std::string>& argv);

}  // namespace dl::test
