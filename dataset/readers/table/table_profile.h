// Collects statistics of all values in a column of a table, in bounded memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/feature_column.h"
#include "dataset/readers/plain_number.h"
#include "dataset/readers/table/csv_scanner.h"
#include "dataset/readers/table/decimal_set.h"
#include "dataset/readers/table/distinct_count.h"
#include "dataset/readers/table/field_kind.h"
#include "dataset/readers/table/missing_texts.h"
#include "dataset/readers/table/short_decimals.h"

namespace dl::dataset {

// Position of a value.
struct RowPlace {
  std::string path;
  int64_t row = 0;   // row of its file, from 1, including the header
  int64_t line = 0;  // from 1
};

// Counts dates such as "01/02/2020", whose order of day and month the form does not determine.
// Stores the first date of each kind as an example.
struct DateOrders {
  // day_first: valid only with the day first. month_first: valid only with the month first. either:
  // valid both ways.
  int64_t day_first = 0, month_first = 0, either = 0;
  std::string day_first_example, month_first_example, either_example;

  enum class Form : uint8_t { kNone, kDayFirst, kMonthFirst, kEither };
  // Returns what the text is: kNone if it is no such date.
  static Form FormOf(const std::string& text);
  // Counts a text of this form.
  void Add(Form form, std::string_view text);
};

// Not thread-safe.
class ColumnProfile {
 public:
  // A text of the column: how often it occurs, and where first.
  struct Occurrence {
    int64_t count = 0;
    RowPlace first;
    int64_t number = 0;  // number of other texts that occurred before it
  };
  // Values of one kind.
  struct OfKind {
    int64_t count = 0;
    std::string example;
    RowPlace first;
  };

  // Counts up to `most_distinct` distinct numbers exactly, and as many other distinct texts. Larger
  // counts are estimates. `missing` and `known` (a column of a trained model, or null) must outlive
  // the profile. REQUIRES: most_distinct >= 2.
  ColumnProfile(size_t most_distinct, const MissingTexts& missing, const FeatureColumn* known)
      : missing_texts_(&missing),
        known_(known),
        most_facts_(std::bit_floor(std::clamp<size_t>(most_distinct / 16, 1, 1024))),
        decimals_(64 * std::max<size_t>(1, std::bit_floor(most_distinct / 4))),
        numbers_(most_distinct),
        others_(most_distinct) {}
  ColumnProfile(ColumnProfile&&) = default;
  ColumnProfile& operator=(ColumnProfile&&) = default;

  // Adds the value of a row. "First", "last" and "before" below refer to the order of these calls.
  void Add(std::string_view text, const RowPlace& place);
  // Rows of a batch that are added together.
  struct Rows {
    const CsvRowBatch& batch;
    std::span<const CsvRowBatch::Row> rows;  // some of the batch
    const std::string& path;                 // of their file
  };
  // Adds the field at index `column` of the rows. REQUIRES: none is the first row of its file.
  void AddRows(const Rows& rows, size_t column);

  int64_t rows() const { return rows_; }
  // Number of values that are empty or listed as missing.
  int64_t missing() const { return missing_; }
  const RowPlace& first_missing() const { return first_missing_; }
  // The texts listed as missing that occurred, with their counts. Has at most kMostTexts texts, and
  // never the empty text.
  const std::map<std::string, int64_t>& missing_spellings() const { return missing_spellings_; }
  // Texts that `missing` does not list but that probably mean a missing value: texts that pandas
  // reads as missing, and placeholders ("-"). of() does not count them.
  const std::map<std::string, Occurrence>& known_missing() const { return known_missing_; }
  int64_t CountKnownMissing() const;                   // sum of the counts in known_missing()
  int64_t values() const { return rows_ - missing_; }  // includes known_missing()
  const OfKind& of(FieldKind kind) const { return kinds_[static_cast<size_t>(kind)]; }
  // Number of values whose comma can only be a decimal comma, such as "1,5".
  int64_t CommasWithoutThousands() const { return sure_commas_; }
  // Number of values with a fraction, or with a comma that may be a decimal comma.
  int64_t fractions() const { return fractions_; }
  // Number of numbers that begin with 0 and another digit, such as "01234", and the first of them.
  int64_t leading_zeros() const { return leading_zeros_; }
  const std::string& first_with_zero() const { return first_with_zero_; }
  // Returns whether the points of the numbers may separate thousands, as in "12.345" and "999":
  // each point is followed by three digits, and numbers without a point are below 1000.
  bool MayHavePointsOfThousands() const {
    constexpr int64_t kFew = 3;
    return grouped_ >= kFew && grouped_ == with_point_ &&
           with_point_ < of(FieldKind::kNumber).count && !has_large_without_point_;
  }
  const std::string& first_grouped() const { return first_grouped_; }  // such as "12.345"
  // Number of whole numbers that may be dates, such as "20200131".
  int64_t compact_dates() const { return compact_dates_; }
  // Minimum, maximum and sum of all numbers; 0 if there are no numbers.
  double min() const { return min_; }
  double max() const { return max_; }
  double sum() const { return sum_; }
  // The last number, and the text of the last row. The first row of a file is ignored, because a
  // survey adds it after all other rows (TableSurvey::AddFirstRows).
  double last_number() const { return last_number_; }
  const std::string& last_value() const { return last_value_; }
  // Number of values equal to max(), and the largest number below max(). second_max() is max() if
  // there is no smaller number.
  int64_t count_of_max() const { return count_of_max_; }
  double second_max() const { return second_max_; }
  // Number of long numbers with a plus sign, such as telephone numbers.
  int64_t long_with_plus() const { return long_with_plus_; }
  // Hash of all values. Columns with equal values in every row have equal hashes. Numbers are
  // compared as numbers.
  uint64_t content_hash() const { return content_hash_; }
  // Hash of which rows have equal values. Two columns without missing values that have equal values
  // in the same pairs of rows have equal hashes. Valid only if HasAllTexts().
  uint64_t pattern_hash() const { return pattern_hash_; }
  // Returns whether all values are numbers and each is the number of the row before it plus one.
  // Missing values are not considered.
  bool CountsRows() const { return counts_rows_ && of(FieldKind::kNumber).count == values(); }

  // Return the number of distinct numbers, and of distinct values that are not missing.
  int64_t DistinctNumbers() {
    CountDecimals();
    return numbers_.Count();
  }
  int64_t Distinct() { return DistinctNumbers() + others_.Count(); }
  // Returns whether the last result of Distinct() is exact.
  bool DistinctIsExact() const { return numbers_.IsExact() && others_.IsExact(); }
  // The first kMostTexts distinct texts of the column that are not missing. When a further text
  // occurs, HasAllTexts() becomes false and the counts stop.
  const std::map<std::string, Occurrence>& texts() const { return texts_; }
  bool HasAllTexts() const { return has_all_texts_; }
  // The first value that is neither missing nor a known text for a missing value.
  const std::string& first_value() const { return first_value_; }
  // The order of day and month in dates such as "01/02/2020".
  const DateOrders& date_orders() const { return date_orders_; }
  // Number of values that a trained model's column of categories does not know.
  int64_t unknown() const { return unknown_; }
  const std::string& first_unknown() const { return first_unknown_; }

  static constexpr size_t kMostTexts = 64;

 private:
  // The place of a value, without a copy of the path.
  struct Place {
    const std::string& path;
    int64_t row, line;
    RowPlace ToRowPlace() const { return {.path = path, .row = row, .line = line}; }
  };
  // Facts that follow from a text alone. Stored for the last texts, because most columns of texts
  // repeat them.
  struct TextFacts {
    bool is_set = false;
    bool is_counted = false;  // whether others_ has the hash of the text
    std::string text;
    uint64_t hash = 0;  // of the text
    FieldLook look;
    bool may_mean_missing = false;  // as known_missing()
    bool is_unknown = false;        // as unknown()
    DateOrders::Form date_form = DateOrders::Form::kNone;
    Occurrence* occurrence = nullptr;  // its entry in texts_, if it has one
  };

  // Fields of rows in which numbers are parsed together.
  struct Block;

  void Count(std::string_view text, const Place& place);
  // Returns whether numbers need no facts about their texts.
  bool CountsNumbersAlone() const {
    return !has_all_texts_ && (known_ == nullptr || known_->categories.empty());
  }
  void AddBlock(const Rows& rows, size_t column);
  void AddNumbers(const Block& block, size_t begin, size_t end);
  void AddTexts(const Block& block, size_t begin, size_t end, uint64_t counts);
  void CountDecimals();
  void CountMissing(std::string_view text, const Place& place);
  TextFacts& FactsOf(std::string_view text);
  void AddFacts(TextFacts& facts, const Place& place);
  void AddKind(FieldKind kind, std::string_view text, const Place& place);
  void AddNumber(const ShortDecimal& number, std::string_view text, const Place& place);
  void AddLargest(double value, bool is_first);
  void AddGroups(std::string_view text);
  void AddHash(uint64_t value_hash);
  void AddPattern(int64_t number);

  const MissingTexts* missing_texts_;
  const FeatureColumn* known_;
  size_t most_facts_;             // a power of two
  std::vector<TextFacts> facts_;  // by SlotOf(text); empty before the first text
  TextFacts facts_of_long_;       // of the last text that is too long for facts_
  int64_t rows_ = 0, missing_ = 0, unknown_ = 0, sure_commas_ = 0, fractions_ = 0;
  int64_t leading_zeros_ = 0, compact_dates_ = 0, with_point_ = 0, grouped_ = 0;
  bool has_large_without_point_ = false;
  RowPlace first_missing_;
  std::map<std::string, int64_t> missing_spellings_;
  std::map<std::string, Occurrence> known_missing_, texts_;
  bool has_all_texts_ = true;
  OfKind kinds_[5];
  double min_ = 0, max_ = 0, first_number_ = 0, previous_ = 0, sum_ = 0, last_number_ = 0,
         second_max_ = 0;
  int64_t count_of_max_ = 0, long_with_plus_ = 0;
  std::string last_value_;
  uint64_t content_hash_ = 0, pattern_hash_ = 0;
  bool counts_rows_ = true;
  std::string first_value_, first_unknown_, first_with_zero_, first_grouped_;
  DateOrders date_orders_;
  // Distinct numbers are in decimals_ until a number does not fit there, and then in numbers_.
  DecimalSet decimals_;
  bool fit_decimals_ = true;
  DistinctCount numbers_, others_;
};

}  // namespace dl::dataset
