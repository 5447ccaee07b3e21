// Converts a field of a table to features, as its column defines (dataset/feature_column.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/feature_column.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/date_time.h"

namespace dl::dataset {

// Parses a field of a column of numbers that is not missing. Returns InvalidArgument without a
// place.
StatusOr<ReadNumber> NumberOfField(std::string_view text);

// Parses a field of a column of dates that is not missing. Returns InvalidArgument without a place.
StatusOr<DateTime> DateOfField(std::string_view text, job::DateOrder order);

// Returns InvalidArgument, without a place, that the zone of a time cannot be converted to
// `other_zone`. `others` names the times of that zone, such as "the times of the training set".
Status ZonesDiffer(std::string_view text, const std::string& zone, const std::string& others,
                   const std::string& other_zone);

// Returns the index of a category in its column. It is searched by text, or by value if it is a
// number ("1.0" and "01" are "1").
std::optional<size_t> CategoryPlace(const FeatureColumn& column, std::string_view text);

// Remembers the places of the last texts of a column, because most columns of categories repeat
// them. Not thread-safe.
class CategoryPlaces {
 public:
  // Returns CategoryPlace(column, text). REQUIRES: all calls are for the same column.
  std::optional<size_t> Find(const FeatureColumn& column, std::string_view text);

 private:
  struct Known {
    std::string text;
    std::optional<size_t> place;
    bool is_set = false;
  };
  std::vector<Known> known_;  // by the low bits of SlotOf(text); empty before the first call
};

// Appends the column's Width() floats. Numbers and dates go through `rounder`, whose next feature
// must be that of the column. A missing number or date becomes NaN, which FeatureScaler and
// FitNormalizer replace (FillsOf). An unknown category that is no error becomes zeros (kOneHot), or
// the number of categories (kIndex). Returns InvalidArgument, without a place, for
//   - a missing value without a replacement.
//   - a text that is not a number, a date or UTF-8, as the column needs.
//   - a date whose zone cannot be converted.
//   - an unknown category, if that is an error.
Status EncodeField(const FeatureColumn& column, std::string_view text, bool missing,
                   FeatureRounder& rounder, std::vector<float>& out);
// The same, with the places of the column's categories.
Status EncodeField(const FeatureColumn& column, std::string_view text, bool missing,
                   CategoryPlaces& places, FeatureRounder& rounder, std::vector<float>& out);

}  // namespace dl::dataset
