// Runs programs of the build that print JSON documents, one per line, and end.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace dl::test {

// Returns the printed documents. The test fails if the program does anything else, or runs longer
// than half an hour; the documents printed so far are then returned.
std::vector<Json> JsonLinesOf(const std::vector<std::string>& argv);
// Runs a program that prints one document. Returns null if it fails.
Json JsonOf(const std::vector<std::string>& argv);

}  // namespace dl::test
