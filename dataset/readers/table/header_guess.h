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
//   - a text or a date above numbers.
//   - a text that does not occur again in a column of few different texts.
//   - a usual name of a label, such as "class".
//   - an empty first cell above row numbers.
// These indicate data:
//   - a number in the range of the numbers below it.
//   - a text that occurs again.
//   - a name that occurs twice in the row.
// Some of these weigh more than others. The row is a header if more indicates a header, or if both
// are equal and all cells are texts. These rules come first:
//   - If a text of the row can only be a name, whole numbers that differ may be names too: the row
//     is a header if nothing but such numbers indicates data.
//   - A row of at least five numbers with equal distances is a header if anything but the numbers
//     indicates a header, and no text of the row occurs again.
//   - Another row that counts ("0,1,2", "1990,1991") is a header if one of its numbers is unlike
//     the numbers below it. If more indicates data, it is a header only if it counts from 0 in at
//     least four columns.
HeaderGuess GuessHeader(const std::vector<std::string>& first_row,
                        const std::vector<int64_t>& same_as_first, const MissingTexts& missing,
                        std::vector<ColumnProfile>& columns);

}  // namespace dl::dataset
