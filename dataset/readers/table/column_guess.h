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
  // numbers. Also true for every column of dates, even if dates repeat.
  bool is_of_its_own = false;
  // For numbers: texts that occur and probably mean a missing value (ColumnProfile::known_missing).
  std::vector<std::string> missing;
  std::vector<std::string> notes;  // sentences without the name of the column
  bool is_doubtful = false;        // a note says what the values may mean instead
};

struct ColumnQuestion {
  std::string name;  // empty without a header
  bool has_header = false;
  size_t index = 0;    // of the column
  std::string called;  // as TableDraft::Called returns it, for messages
  std::string flag;    // name or index of the column in flags
  bool decimal_comma = false;
  // Numbers may be row numbers or codes. False for a label, for a column that the user keeps, and
  // with a trained model.
  bool may_be_of_its_own = true;
  bool is_label = false;
  // A trained model decides how columns are used, so flags about their types are not available.
  bool goes_by_a_model = false;
};

// Guesses from all columns how the numbers of a table are written. Returns true for a decimal
// comma. Returns InvalidArgument if some columns have commas and others have points.
StatusOr<bool> GuessDecimalComma(std::vector<ColumnProfile>& columns);

// Guesses the type of a column. Changes in `profile` only how far distinct values are counted.
// Returns InvalidArgument, which names the first wrong row, in two cases:
//   - Numbers contain characters that are not parsed, such as a currency. Texts with a unit, such
//     as "2 doors", are categories instead if there are few distinct ones.
//   - A text is not known to mean a missing value, and nearly all values are numbers, or there are
//     too many different numbers for categories.
StatusOr<ColumnGuess> GuessColumn(const ColumnQuestion& question, ColumnProfile& profile);

// Returns whether the column numbers the rows: its values are whole numbers that count from 0 or 1,
// or that nearly all differ under a name such as "id". Also if a header has no name for the first
// column, as pandas writes an index, whose numbers may occur twice.
bool NumbersRows(const ColumnQuestion& question, ColumnProfile& profile);

// Returns in how many rows the value is a number in the notation of the table.
int64_t CountNumbers(const ColumnProfile& profile, bool decimal_comma);

}  // namespace dl::dataset
