// Converts a field of a table to features, as its column defines (dataset/feature_column.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/feature_column.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/date_time.h"

namespace dl::dataset {

// Parses a field of a column of numbers that is not missing. Returns InvalidArgument without a
// place.
StatusOr<ReadNumber> NumberOfField(const std::string& text);

// Parses a field of a column of dates that is not missing. Returns InvalidArgument without a place.
StatusOr<DateTime> DateOfField(const std::string& text, job::DateOrder order);

// Returns InvalidArgument, without a place, that the zone of a time cannot be converted to
// `other_zone`. `others` names the times of that zone, such as "the times of the training set".
Status ZonesDiffer(const std::string& text, const std::string& zone, const std::string& others,
                   const std::string& other_zone);

// Returns the index of a category in its column. It is searched by text, or by value if it is a
// number ("1.0" and "01" are "1").
std::optional<size_t> CategoryPlace(const FeatureColumn& column, const std::string& text);

// Appends the column's Width() floats. Numbers and dates go through `rounder`, whose next feature
// must be that of the column. A missing number or date becomes NaN, which FeatureScaler and
// FitNormalizer replace (FillsOf). An unknown category that is no error becomes zeros (kOneHot), or
// the number of categories (kIndex). Returns InvalidArgument, without a place, for
//   - a missing value without a replacement.
//   - a text that is not a number, a date or UTF-8, as the column needs.
//   - a date whose zone cannot be converted.
//   - an unknown category, if that is an error.
Status EncodeField(const FeatureColumn& column, const std::string& text, bool missing,
                   FeatureRounder& rounder, std::vector<float>& out);

}  // namespace dl::dataset
