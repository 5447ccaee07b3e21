// Determines from the training set how a column of a table is read: whether its values are
// categories, which categories, and what replaces a missing value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "base/status.h"
#include "dataset/feature_column.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Memory that the ColumnFit objects of all columns of a table use together. Not thread-safe.
struct FitMemory {
  int64_t vocabulary_bytes = 0;  // of all categories, up to limits::kMaxVocabularyBytes
  int64_t numbers = 0;  // distinct numbers that are counted, up to limits::kMaxCountedNumbers
};

// Not thread-safe. Add() is called for each field of the column, then Finish().
class ColumnFit {
 public:
  // kAutomatic: the first value that is not missing decides. If it is a number, the column is
  // treated like kNumber, so later texts are errors. Otherwise the column holds categories.
  // Finish() refuses these categories if most values of the column are numbers and the numbers are
  // unlikely to be categories. They are unlikely to be categories if more than 20 numbers are
  // distinct, or if the distinct numbers are more than half of all numbers.
  enum class Kind : uint8_t { kAutomatic, kNumber, kCategory, kDate, kDateParts };
  struct Options {
    std::string name;  // from the header
    Kind kind = Kind::kNumber;
    job::CategoryEncoding encoding = job::CategoryEncoding::kOneHot;
    job::UnknownCategory unknown = job::UnknownCategory::kIgnore;
    job::MissingNumber missing_number = job::MissingNumber::kError;
    job::MissingCategory missing_category = job::MissingCategory::kError;
    job::DateOrder date_order = job::DateOrder::kSure;
  };
  // `memory` must outlive this object.
  ColumnFit(Options options, FitMemory& memory) : options_(std::move(options)), memory_(&memory) {}
  ColumnFit(ColumnFit&&) = default;  // a copy would have pointers to entries of the original
  ColumnFit& operator=(ColumnFit&&) = default;

  // Adds a field of the training set. `text` is not used if the field is `missing`. Returns
  // InvalidArgument, without a place, for
  //   - too many categories or distinct numbers.
  //   - a category that is not UTF-8.
  //   - a text that is not a date, or whose zone cannot be converted.
  //   - a text that is not a number, unless Options::missing_number is kError. Then EncodeField
  //     reports the text.
  Status Add(std::string_view text, bool missing);

  // Returns the column. If all categories are numbers, categories of equal value ("1" and "1.0")
  // become one category. If the most frequent value replaces missing values and several values are
  // equally frequent, it is the smallest number, or the first category in byte order. Returns
  // InvalidArgument without a place for
  //   - categories that kAutomatic refuses (see Kind).
  //   - a column of categories in which all values are missing, unless missing values have a
  //     category of their own.
  //   - a column of numbers or of kDate in which all values are missing, if missing_number is not
  //     kError.
  StatusOr<FeatureColumn> Finish() const;

 private:
  Status AddCategory(std::string_view text);
  Status AddNumber(std::string_view text);
  Status CountNumber(double value);
  Status AddDate(std::string_view text);
  StatusOr<FeatureColumn> FinishCategories() const;
  bool IsMostlyNumbers() const;

  Options options_;
  FitMemory* memory_;
  using Categories = absl::node_hash_map<std::string, int64_t>;  // an entry keeps its place
  Categories categories_;
  // The last categories, by the low bits of SlotOf(category), because most columns repeat them.
  // Empty before the first one.
  std::vector<Categories::value_type*> recent_;
  std::string found_word_;                 // for kAutomatic: the first value, if it is not a number
  int64_t values_ = 0, numbers_seen_ = 0;  // numbers_seen_ counts only if found_word_ is set
  bool any_missing_ = false;
  int64_t count_ = 0;  // of numbers or dates
  double sum_ = 0;
  std::string zone_, first_date_;  // of dates; if offsets differ, the zone is UTC
  std::map<double, int64_t> numbers_;
};

}  // namespace dl::dataset
