// Treatment of table values that are not numbers: categories, dates and missing values.
// dataset/readers/table/column_fit.h applies it with the training set's values.
#pragma once

#include <cstdint>
#include <string_view>

#include "job/job_words.h"

namespace dl::job {

// kOneHot: a feature for each category of the column. kIndex: one feature, the category's number
// from 0.
enum class CategoryEncoding : uint8_t { kOneHot, kIndex };
template <>
struct WordsOf<CategoryEncoding> {
  static constexpr std::string_view kWords[] = {"one_hot", "index"};
};

// Character before the fraction of a number.
enum class Decimal : uint8_t { kPoint, kComma };
template <>
struct WordsOf<Decimal> {
  static constexpr std::string_view kWords[] = {"point", "comma"};
};

// Order of day and month in dates like 01/02/2020. kSure: such dates are errors.
enum class DateOrder : uint8_t { kSure, kDayFirst, kMonthFirst };
template <>
struct WordsOf<DateOrder> {
  static constexpr std::string_view kWords[] = {"sure", "day_first", "month_first"};
};

// Treatment of a category that the training set lacks. kIgnore: with kOneHot all features of the
// column are 0, and with kIndex the feature is the number after the last.
enum class UnknownCategory : uint8_t { kIgnore, kError };
template <>
struct WordsOf<UnknownCategory> {
  static constexpr std::string_view kWords[] = {"ignore", "error"};
};

// Replacement of a missing number, or of a missing date in date_columns. kMean, kMostFrequent: of
// the column in the training set.
enum class MissingNumber : uint8_t { kError, kMean, kMostFrequent };
template <>
struct WordsOf<MissingNumber> {
  static constexpr std::string_view kWords[] = {"error", "mean", "most_frequent"};
};

// Replacement of a missing category. kMostFrequent: of the column in the training set. kOwnClass: a
// category of its own.
enum class MissingCategory : uint8_t { kError, kMostFrequent, kOwnClass };
template <>
struct WordsOf<MissingCategory> {
  static constexpr std::string_view kWords[] = {"error", "most_frequent", "own_class"};
};

}  // namespace dl::job
