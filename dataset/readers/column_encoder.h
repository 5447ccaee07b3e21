// A field of a table as the features that its column says (dataset/feature_column.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/feature_column.h"
#include "dataset/readers/date_time.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {

// A field of a column of numbers, where it is not missing. Errors, without their place: it is none.
StatusOr<ReadNumber> NumberOfField(const std::string& text);

// A field of a column of dates, where it is not missing. Errors, without their place: it is none.
StatusOr<DateTime> DateOfField(const std::string& text, job::DateOrder order);

// InvalidArgument, without its place: the zone of a time cannot be converted to the other zone.
// `others`: the times of that zone, as "the times of the training set".
Status ZonesDiffer(const std::string& text, const std::string& zone, const std::string& others,
                   const std::string& other_zone);

// The place of a category among those of its column: by its text, or where that is a number, by its
// value ("1.0" and "01" are "1").
std::optional<size_t> CategoryPlace(const FeatureColumn& column, const std::string& text);

// Appends the column's Width() floats; numbers and dates go through `rounder`, whose next feature
// is the column's. Errors, without their place: a value is missing and
// nothing stands for it, is no number, is a category that is not known where that is an error.
Status EncodeField(const FeatureColumn& column, const std::string& text, bool missing,
                   FeatureRounder& rounder, std::vector<float>& out);

}  // namespace dl::dataset
