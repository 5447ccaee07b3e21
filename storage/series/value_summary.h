// Summaries of the values of many rounds: the first, last, smallest, largest and mean value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/series/value_packing.h"

namespace dl::storage {

// Summarizes the values of one series in consecutive rounds. Missing values do not count.
struct ValueSummary {
  float first = kNoValue, last = kNoValue;
  float min = kNoValue, max = kNoValue;
  float mean = kNoValue;
  float count = 0;  // number of values; exact up to 2^24

  bool operator==(const ValueSummary&) const;  // missing values are equal
};

// Returns the summary of values in the order of time. With `is_short`, the mean is rounded by
// RoundToShort. The other members are values of the series and are not rounded.
ValueSummary Summarize(std::span<const float> values, bool is_short);
// Returns the summary of all values of the parts, which are in the order of time.
ValueSummary Summarize(std::span<const ValueSummary> parts, bool is_short);

// Returns the packed summaries: the members of all summaries, in the form of PackValues. REQUIRES:
// at most kMaxPackedValues / 6 summaries.
std::string PackSummaries(std::span<const ValueSummary> summaries);
// Returns the summaries. Returns DataLoss if `packed` does not have the form that PackSummaries
// writes.
StatusOr<std::vector<ValueSummary>> UnpackSummaries(std::string_view packed);

}  // namespace dl::storage
