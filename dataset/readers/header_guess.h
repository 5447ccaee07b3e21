// Whether the first row of a table holds names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/readers/table_profile.h"

namespace dl::dataset {

struct HeaderGuess {
  bool has_header = false;
  bool is_doubtful = false;  // some columns speak for the other choice
};

// Compares each cell of the first row with all values below it. A word above numbers, and a text
// that does not occur again among few, speak for a header; a number within the range of those below
// it, a text that occurs again, and a name that two columns have speak against it. A row that
// counts
// ("0,1,2", "1990,1991") is a header unless the numbers below look like its own.
HeaderGuess GuessHeader(const std::vector<std::string>& first_row,
                        const std::vector<int64_t>& same_as_first, const MissingTexts& missing,
                        std::vector<ColumnProfile>& columns);

}  // namespace dl::dataset
