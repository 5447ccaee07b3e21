// What becomes of a table's values that are no numbers: categories, and values that are missing.
// dataset/readers/column_fit.h makes of it what the training set says.
#pragma once

#include <cstdint>
#include <string_view>

#include "job/sources/words.h"

namespace dl::job {

enum class CategoryEncoding : uint8_t { kOneHot, kIndex };
template <>
struct WordsOf<CategoryEncoding> {
  static constexpr std::string_view kWords[] = {"one_hot", "index"};
};

// The sign before the fraction of a number.
enum class Decimal : uint8_t { kPoint, kComma };
template <>
struct WordsOf<Decimal> {
  static constexpr std::string_view kWords[] = {"point", "comma"};
};

// The order of day and month in dates as "01/02/2020". kSure: those dates are refused.
enum class DateOrder : uint8_t { kSure, kDayFirst, kMonthFirst };
template <>
struct WordsOf<DateOrder> {
  static constexpr std::string_view kWords[] = {"sure", "day_first", "month_first"};
};

// Of a category that the training set does not have.
enum class UnknownCategory : uint8_t { kIgnore, kError };
template <>
struct WordsOf<UnknownCategory> {
  static constexpr std::string_view kWords[] = {"ignore", "error"};
};

enum class MissingNumber : uint8_t { kError, kMean, kMostFrequent };
template <>
struct WordsOf<MissingNumber> {
  static constexpr std::string_view kWords[] = {"error", "mean", "most_frequent"};
};

enum class MissingCategory : uint8_t { kError, kMostFrequent, kOwnClass };
template <>
struct WordsOf<MissingCategory> {
  static constexpr std::string_view kWords[] = {"error", "most_frequent", "own_class"};
};

}  // namespace dl::job
