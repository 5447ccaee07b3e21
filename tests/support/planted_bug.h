// Bugs that are planted into copies of the product's sources (tests/sim/plant.cmake). A program
// that links these copies contains all bugs. The environment variable PLANTED_BUG names the active
// bug.
#pragma once

#include <string_view>

namespace dl::test {

// Returns whether this bug is active. Thread-safe.
bool IsPlanted(std::string_view bug);

}  // namespace dl::test
