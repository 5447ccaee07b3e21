// Guesses what a column of a table holds, from all of its values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table/table_profile.h"

namespace dl::dataset {

enum class ColumnType : uint8_t { kEmpty, kNumbers, kCategories, kTexts, kDates };

struct ColumnGuess {
  ColumnType type = ColumnType::kEmpty;
  // Each row, or nearly each, has a different value that says nothing about other rows: names, row
  // numbers, dates.
  bool is_of_its_own = false;
  // For numbers: texts that mean a missing value, besides those of MissingTexts.
  std::vector<std::string> missing;
  std::vector<std::string> notes;  // sentences without the name of the column
  bool is_doubtful = false;        // a note says what the values may mean instead
};

struct ColumnQuestion {
  std::string name;    // empty without a header
  std::string called;  // as TableDraft::Called returns it, for messages
  std::string flag;    // name or index of the column in flags
  bool decimal_comma = false;
  bool may_be_of_its_own = true;  // false for a column of labels
  bool is_label = false;
  bool goes_by_a_model = false;  // flags about the types of columns are not available
};

// Guesses from all columns how the numbers of a table are written. Returns true for a decimal
// comma. Returns InvalidArgument if some columns have commas and others have points.
StatusOr<bool> GuessDecimalComma(std::vector<ColumnProfile>& columns);

// Guesses the type of a column. Returns InvalidArgument, which names the first wrong row, in two
// cases:
//   - Numbers contain characters that are not parsed, such as a currency.
//   - A text is not known to mean a missing value, and nearly all values are numbers, or there are
//     too many different numbers for categories.
StatusOr<ColumnGuess> GuessColumn(const ColumnQuestion& question, ColumnProfile& profile);

// Returns how many values are numbers in the notation of the table.
int64_t CountNumbers(const ColumnProfile& profile, bool decimal_comma);

}  // namespace dl::dataset
