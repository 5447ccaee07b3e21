#include "dataset/readers/table/header_guess.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dataset/readers/table/label_guess.h"

namespace dl::dataset {
namespace {

// Returns the number of values that are numbers, decorated numbers or dates.
int64_t NotTexts(const ColumnProfile& column) {
  return column.values() - column.CountKnownMissing() - column.of(FieldKind::kText).count;
}

// Returns whether the row consists of consecutive whole numbers, such as "0,1,2" or "1990,1991".
// pandas names columns without names in this way, and years are named so. The first and the last
// cell may be something else.
bool CountsColumns(const std::vector<std::string>& row) {
  std::vector<double> numbers;
  size_t others = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const FieldLook look = LookAtField(row[i]);
    const bool is_whole = look.kind == FieldKind::kNumber && look.value == std::trunc(look.value) &&
                          row[i].find('.') == std::string::npos;
    if (is_whole) {
      numbers.push_back(look.value);
    } else if (i == 0 || i + 1 == row.size()) {
      ++others;
    } else {
      return false;
    }
  }
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] != numbers[i - 1] + 1) return false;
  }
  const bool begins = !numbers.empty() && (numbers[0] == 0 || numbers[0] == 1);
  return numbers.size() >= 3 || (numbers.size() == 2 && (begins || others > 0));
}

// Fewer numbers do not show the typical distance between the numbers of a column.
constexpr int64_t kFewNumbers = 3;

// Returns whether the number is unlike the numbers of the column: at least half of these have
// fractions, or all of them are far from it.
bool IsUnlike(double number, ColumnProfile& column) {
  const int64_t numbers = column.of(FieldKind::kNumber).count;
  if (column.fractions() > 0 && 2 * column.fractions() >= numbers) return true;
  if (numbers < kFewNumbers) return false;
  const double gap = std::max(column.min() - number, number - column.max());
  const double step =
      (column.max() - column.min()) / static_cast<double>(std::max<int64_t>(numbers, 1));
  return gap > 0 && (gap > 3 * step || 2 * column.DistinctNumbers() <= numbers);
}

bool IsMostly(int64_t count, int64_t of) { return count > 0 && 10 * count >= 9 * of; }

}  // namespace

HeaderGuess GuessHeader(const std::vector<std::string>& first_row,
                        const std::vector<int64_t>& same_as_first, const MissingTexts& missing,
                        std::vector<ColumnProfile>& columns) {
  int pro = 0, contra = 0, words = 0;
  std::map<std::string, int> names;
  const bool counts_all = CountsColumns(first_row);
  bool counts = counts_all;  // and no text of the row occurs again
  int unlike = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& cell = first_row[i];
    ColumnProfile& column = columns[i];
    if (!cell.empty()) contra += names[cell]++ > 0 ? 3 : 0;
    const bool numbers = IsMostly(NotTexts(column), column.values() - column.CountKnownMissing());
    if (cell.empty() && i == 0 && numbers && column.CountsRows()) ++pro;  // the index of pandas
    if (missing.Has(cell) || IsKnownMissing(cell) || IsPlaceholder(cell)) continue;
    const FieldLook look = LookAtField(cell);
    if (look.kind == FieldKind::kText) {
      ++words;
      if (IsUsualLabelName(cell) && same_as_first[i] == 0) pro += 2;
      if (numbers) pro += 2;
      if (numbers || column.values() == 0) continue;
      if (same_as_first[i] > 0) {
        contra += 2;
        counts = false;
      } else if (2 * column.Distinct() <= column.values()) {
        ++pro;
      } else if (columns.size() == i + 1 && column.Distinct() < column.values()) {
        ++pro;  // the name of a label is not one of the classes
      }
      continue;
    }
    if (!numbers) continue;
    // Column names may be numbers ("1990"), but these differ from the numbers below.
    const bool alike = look.kind == FieldKind::kNumber
                           ? column.of(FieldKind::kNumber).count > 0 &&
                                 look.value >= column.min() && look.value <= column.max()
                           : column.of(look.kind).count > 0;
    if (look.kind == FieldKind::kNumber && counts_all && IsUnlike(look.value, column)) {
      ++pro;
      ++unlike;
    } else if (alike) {
      ++contra;
    }
  }
  if (counts) {
    const bool begins_at_0 = LookAtField(first_row[first_row[0].empty() ? 1 : 0]).value == 0;
    const bool is_header = pro >= contra ? unlike > 0 : begins_at_0 && first_row.size() >= 4;
    return {.has_header = is_header, .is_doubtful = !is_header || contra > 0};
  }
  if (pro == contra) {
    const bool all_words = words == static_cast<int>(first_row.size());
    return {.has_header = all_words, .is_doubtful = pro > 0 || !columns.empty()};
  }
  const int less = std::min(pro, contra), more = std::max(pro, contra);
  return {.has_header = pro > contra, .is_doubtful = less > 0 && 3 * less >= more};
}

}  // namespace dl::dataset
