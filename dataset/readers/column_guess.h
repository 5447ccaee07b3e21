// Decides what a column of a bare table is, by all of its values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table_profile.h"

namespace dl::dataset {

enum class ColumnType : uint8_t { kEmpty, kNumbers, kCategories, kTexts, kDates };

struct ColumnGuess {
  ColumnType type = ColumnType::kEmpty;
  // Each row, or nearly each, has a value of its own that says nothing of other rows: names,
  // numbers that count rows, dates.
  bool is_of_its_own = false;
  // Of numbers: texts that stand for missing values, beside those of MissingTexts.
  std::vector<std::string> missing;
  std::vector<std::string> notes;  // sentences without the column's name
  bool is_doubtful = false;
};

struct ColumnQuestion {
  std::string name;    // empty without a header
  std::string called;  // "column \"age\"", "column 3"; in flags by `flag`
  std::string flag;    // the name or index by which flags call it
  bool decimal_comma = false;
  bool may_be_of_its_own = true;  // a column of labels is not
  bool is_label = false;
  bool goes_by_a_model = false;  // flags about the types of columns are not taken
};

// How the numbers of a table are written, by all of its columns: true: with a decimal comma.
// InvalidArgument: some with commas and some with points.
StatusOr<bool> GuessDecimalComma(std::vector<ColumnProfile>& columns);

// InvalidArgument: nearly all values are numbers, and others are neither numbers nor known texts
// for missing ones; or numbers with signs that are not read. The message has the first row.
StatusOr<ColumnGuess> GuessColumn(const ColumnQuestion& question, ColumnProfile& profile);

// The text in lower case, with one blank in place of several of any kind and none at the ends.
std::string FoldText(const std::string& text);

// Values that are numbers as the table writes them.
int64_t CountNumbers(const ColumnProfile& profile, bool decimal_comma);

}  // namespace dl::dataset
