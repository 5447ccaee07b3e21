// Programs of the build that print JSON documents, one a line, and end.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace dl::test {

// What the program printed. Everything else that it does, and half an hour without an end, is a
// failure of the test; null, or what was there, then.
std::vector<Json> JsonLinesOf(const std::vector<std::string>& argv);
// The same of a program that prints one.
Json JsonOf(const std::vector<std::string>& argv);

}  // namespace dl::test
