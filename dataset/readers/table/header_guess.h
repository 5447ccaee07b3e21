// Guesses whether the first row of a table holds names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/readers/table/table_profile.h"

namespace dl::dataset {

struct HeaderGuess {
  bool has_header = false;
  bool is_doubtful = false;  // some columns indicate the opposite
};

// Compares each cell of the first row with the values below it. `columns` are the profiles of these
// values, and `same_as_first` says how many of them equal the cell. These indicate a header:
//   - a text above numbers.
//   - a text that does not occur again in a column of few different texts.
//   - a usual name of a label, such as "class".
//   - an empty first cell above row numbers.
// These indicate data:
//   - a number in the range of the numbers below it.
//   - a text that occurs again.
//   - a name that occurs twice in the row.
// A row that counts ("0,1,2", "1990,1991") is a header if one of its numbers is unlike the numbers
// below it. A row that counts from 0 in at least four columns is also a header if more cells
// indicate data.
HeaderGuess GuessHeader(const std::vector<std::string>& first_row,
                        const std::vector<int64_t>& same_as_first, const MissingTexts& missing,
                        std::vector<ColumnProfile>& columns);

}  // namespace dl::dataset
