#include "dataset/readers/header_guess.h"

#include <algorithm>
#include <map>

namespace dl::dataset {
namespace {

// Values that are no text: numbers, also with signs, and dates.
int64_t NotTexts(const ColumnProfile& column) {
  return column.values() - column.CountKnownMissing() - column.of(FieldKind::kText).count;
}

bool IsMostly(int64_t count, int64_t of) { return count > 0 && 10 * count >= 9 * of; }

}  // namespace

HeaderGuess GuessHeader(const std::vector<std::string>& first_row,
                        const std::vector<int64_t>& same_as_first, const MissingTexts& missing,
                        std::vector<ColumnProfile>& columns) {
  int pro = 0, contra = 0, words = 0;
  std::map<std::string, int> names;
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
      if (numbers) pro += 2;
      if (numbers || column.values() == 0) continue;
      if (same_as_first[i] > 0) {
        contra += 2;
      } else if (2 * column.Distinct() <= column.values()) {
        ++pro;
      } else if (columns.size() == i + 1 && column.Distinct() < column.values()) {
        ++pro;  // the label's name is none of the classes
      }
      continue;
    }
    if (!numbers) continue;
    // Numbers name columns too ("1990"), but then they are not like those below.
    const bool alike = look.kind == FieldKind::kNumber
                           ? column.of(FieldKind::kNumber).count > 0 &&
                                 look.value >= column.min() && look.value <= column.max()
                           : column.of(look.kind).count > 0;
    if (alike) ++contra;
  }
  if (pro == contra) {
    const bool all_words = words == static_cast<int>(first_row.size());
    return {.has_header = all_words, .is_doubtful = pro > 0 || !columns.empty()};
  }
  const int less = std::min(pro, contra), more = std::max(pro, contra);
  return {.has_header = pro > contra, .is_doubtful = less > 0 && 3 * less >= more};
}

}  // namespace dl::dataset
