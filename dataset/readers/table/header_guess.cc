#include "dataset/readers/table/header_guess.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "dataset/readers/table/label_guess.h"

namespace dl::dataset {
namespace {

// Returns the number of values that are numbers, decorated numbers or dates.
int64_t NotTexts(const ColumnProfile& column) {
  return column.values() - column.CountKnownMissing() - column.of(FieldKind::kText).count;
}

// In fewer numbers, equal distances may be chance.
constexpr size_t kSureNumbers = 5;

// Returns whether the numbers have equal distances, except for rounding.
bool AreEvenlySpaced(const std::vector<double>& numbers) {
  constexpr double kRounding = 0.02;  // of the distance
  if (numbers.size() < kSureNumbers) return false;
  const double step = numbers[1] - numbers[0];
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (std::fabs(numbers[i] - numbers[i - 1] - step) > kRounding * std::fabs(step)) return false;
  }
  return step != 0;
}

// How the numbers of a row count on.
enum class Counting : uint8_t { kNone, kSome, kSure };

// Returns how the row counts: kSome for consecutive whole numbers, such as "0,1,2" or "1990,1991",
// because pandas names columns without names in this way, and years are named so. kSure for at
// least kSureNumbers numbers with equal distances, such as wavelengths. The first and the last cell
// may be something else.
Counting CountsColumns(const std::vector<std::string>& row) {
  std::vector<double> numbers, whole;
  size_t others = 0;
  bool are_consecutive = true;
  for (size_t i = 0; i < row.size(); ++i) {
    const FieldLook look = LookAtField(row[i]);
    const bool is_number = look.kind == FieldKind::kNumber, is_end = i == 0 || i + 1 == row.size();
    if (!is_number && !is_end) return Counting::kNone;
    if (is_number) numbers.push_back(look.value);
    const bool is_whole =
        is_number && look.value == std::trunc(look.value) && row[i].find('.') == std::string::npos;
    if (is_whole) {
      are_consecutive = are_consecutive && (whole.empty() || look.value == whole.back() + 1);
      whole.push_back(look.value);
    } else if (is_end) {
      ++others;
    } else {
      are_consecutive = false;
    }
  }
  if (AreEvenlySpaced(numbers)) return Counting::kSure;
  const bool begins = !whole.empty() && (whole[0] == 0 || whole[0] == 1);
  const bool are_enough = whole.size() >= 3 || (whole.size() == 2 && (begins || others > 0));
  return are_consecutive && are_enough ? Counting::kSome : Counting::kNone;
}

// Returns whether the text can only be a name: it is not a value of the column, and each value of
// the column occurs several times. Also a usual name of a label that is not a value.
bool IsSurelyAName(const std::string& cell, int64_t same_as_first, const ColumnProfile& column) {
  if (same_as_first > 0) return false;
  if (IsUsualLabelName(cell)) return true;
  constexpr int64_t kSomeRows = 20;
  return column.values() >= kSomeRows && column.HasAllTexts() &&
         std::ranges::none_of(column.texts(),
                              [](const auto& text) { return text.second.count == 1; });
}

// Returns whether the numbers of the row are whole and differ, as they do in names.
bool MayBeNames(const std::vector<std::string>& row) {
  std::set<double> numbers;
  for (const std::string& cell : row) {
    const FieldLook look = LookAtField(cell);
    if (look.kind != FieldKind::kNumber) continue;
    if (look.value != std::trunc(look.value) || cell.find('.') != std::string::npos ||
        !numbers.insert(look.value).second)
      return false;
  }
  return true;
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
  const Counting counting = CountsColumns(first_row);
  const bool counts_all = counting != Counting::kNone;
  bool counts = counts_all;  // and no text of the row occurs again
  int unlike = 0;
  int alike_numbers = 0;
  bool has_sure_name = false;
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
      has_sure_name = has_sure_name || IsSurelyAName(cell, same_as_first[i], column);
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
    // A date above numbers is a name.
    if (look.kind == FieldKind::kDate && column.of(FieldKind::kDate).count == 0) {
      pro += 2;
      continue;
    }
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
      ++alike_numbers;
    }
  }
  // Whole numbers may be names within the range of the values ("101,205,309,label").
  if (has_sure_name && contra == alike_numbers && contra > 0 && MayBeNames(first_row))
    return {.has_header = true, .is_doubtful = true};
  if (counts) {
    // Beside numbers that surely count, a word that is no value below shows that all are names. The
    // numbers may then be within the range of the values.
    if (counting == Counting::kSure && pro > unlike) return {.has_header = true};
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
