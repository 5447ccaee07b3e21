// What the training set says about a column of a table: whether its values are categories, which,
// and what stands for one that is missing.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"
#include "dataset/feature_column.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// What the fits of a table's columns keep of them together, which is bounded.
struct FitMemory {
  int64_t vocabulary_bytes = 0;
  int64_t numbers = 0;
};

class ColumnFit {
 public:
  // kAutomatic: categories where the first value is no number. Finish() refuses the column if most
  // of its values are numbers all the same, as Add() refuses a word among numbers.
  enum class Kind : uint8_t { kAutomatic, kNumber, kCategory, kDate, kDateParts };
  struct Options {
    std::string name;  // in the header
    Kind kind = Kind::kNumber;
    job::CategoryEncoding encoding = job::CategoryEncoding::kOneHot;
    job::UnknownCategory unknown = job::UnknownCategory::kIgnore;
    job::MissingNumber missing_number = job::MissingNumber::kError;
    job::MissingCategory missing_category = job::MissingCategory::kError;
    job::DateOrder date_order = job::DateOrder::kSure;
  };
  // `memory` outlives it.
  ColumnFit(Options options, FitMemory& memory) : options_(std::move(options)), memory_(&memory) {}

  // A field of the training set. Errors, without their place: too many categories; a text that is
  // not UTF-8; no number, where numbers are looked at (elsewhere EncodeField says so).
  Status Add(const std::string& text, bool missing);

  // Of two that are as frequent the smaller one is taken. Errors, without their place: no value at
  // all that could stand for those that are missing.
  StatusOr<FeatureColumn> Finish() const;

 private:
  Status AddCategory(const std::string& text);
  Status AddNumber(const std::string& text);
  Status AddDate(const std::string& text);
  StatusOr<FeatureColumn> FinishCategories() const;
  bool IsMostlyNumbers() const;

  Options options_;
  FitMemory* memory_;
  std::map<std::string, int64_t> categories_;
  std::string found_word_;  // of kAutomatic: the first value that made its column categories
  int64_t values_ = 0, numbers_seen_ = 0;  // the latter only with a found_word_
  bool any_missing_ = false;
  int64_t count_ = 0;  // of numbers or dates
  double sum_ = 0;
  std::string zone_, first_date_;  // of dates; times of different offsets have the zone UTC
  std::map<double, int64_t> numbers_;
};

}  // namespace dl::dataset
