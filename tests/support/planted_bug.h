// Bugs that are planted into copies of our sources (tests/sim/plant.cmake): a program that links
// such copies has all of them, and one is alive, whose name is in PLANTED_BUG.
#pragma once

#include <string_view>

namespace dl::test {

// Whether this bug is the one. Any thread.
bool IsPlanted(std::string_view bug);

}  // namespace dl::test
