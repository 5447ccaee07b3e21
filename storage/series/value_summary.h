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

// Returns the summary of values in the order of time. With `is_short`, the mean is rounded as in
// RoundToShort.
ValueSummary Summarize(std::span<const float> values, bool is_short);
// Returns the summary of all values of the parts, which are in the order of time.
ValueSummary Summarize(std::span<const ValueSummary> parts, bool is_short);

// Pack and unpack summaries in the form of PackValues. UnpackSummaries returns DataLoss for bytes
// of another form. REQUIRES: at most kMaxPackedValues / 6 summaries.
std::string PackSummaries(std::span<const ValueSummary> summaries);
StatusOr<std::vector<ValueSummary>> UnpackSummaries(std::string_view packed);

}  // namespace dl::storage
