// Names of classes as parts of the names of series, such as "class/cat/recall".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dl::master {

// Jobs with more classes have no figures of classes as series.
inline constexpr int64_t kMostClassesInSeries = 100;

// Returns a different label for each class: its name, at most 60 bytes of it, with "_" in place of
// characters that have a meaning in selections of series (",", "*", "/") and of control characters.
// A class has its number if it has no name, and "NAME#NUMBER" if an earlier class has the same
// label. `names` is empty or has an entry for each class. Returns none above kMostClassesInSeries.
std::vector<std::string> ClassSeriesNames(const std::vector<std::string>& names, int64_t classes);

}  // namespace dl::master
