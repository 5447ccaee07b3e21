// Determines from the training set how a column of a table is read: whether its values are
// categories, which categories, and what replaces a missing value.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"
#include "dataset/feature_column.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Memory that the fits of all columns of a table use together. It is bounded.
struct FitMemory {
  int64_t vocabulary_bytes = 0;  // of all categories, up to limits::kMaxVocabularyBytes
  int64_t numbers = 0;  // distinct numbers that are counted, up to limits::kMaxCountedNumbers
};

class ColumnFit {
 public:
  // kAutomatic: the column holds categories if its first value is not a number. Finish() refuses
  // such a column if most of its values are numbers that are unlikely to be categories: more than
  // 20 different ones, or more than half as many different ones as numbers. If the first value is a
  // number, later texts are errors, as for kNumber.
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

  // Adds a field of the training set. Returns InvalidArgument, without a place, for
  //   - too many categories or distinct numbers.
  //   - a category that is not UTF-8.
  //   - a text that is not a date, or whose zone cannot be converted.
  //   - a text that is not a number, if a missing number must be replaced. Otherwise EncodeField
  //     reports it.
  Status Add(const std::string& text, bool missing);

  // Returns the column. If all categories are numbers, those of equal value ("1" and "1.0") become
  // one category. Among equally frequent values, the smallest number, or the first category in byte
  // order, replaces missing values. Returns InvalidArgument without a place if all values are
  // missing but a value is needed, and for a column that kAutomatic refuses.
  StatusOr<FeatureColumn> Finish() const;

 private:
  Status AddCategory(const std::string& text);
  Status AddNumber(const std::string& text);
  Status CountNumber(double value);
  Status AddDate(const std::string& text);
  StatusOr<FeatureColumn> FinishCategories() const;
  bool IsMostlyNumbers() const;

  Options options_;
  FitMemory* memory_;
  std::map<std::string, int64_t> categories_;
  std::string found_word_;                 // for kAutomatic: the first value, if it is not a number
  int64_t values_ = 0, numbers_seen_ = 0;  // numbers_seen_ counts only if found_word_ is set
  bool any_missing_ = false;
  int64_t count_ = 0;  // of numbers or dates
  double sum_ = 0;
  std::string zone_, first_date_;  // of dates; if offsets differ, the zone is UTC
  std::map<double, int64_t> numbers_;
};

}  // namespace dl::dataset
