// Dates and times of day as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "job/sources/table_values.h"

namespace dl::dataset {

// A date and a time of the proleptic Gregorian calendar, as the text shows them.
struct DateTime {
  int64_t year = 1970, month = 1, day = 1;
  int64_t hour = 0, minute = 0;
  double second = 0;
  // The zone of the text: "" if it has none; the offset from UTC as "+02:00", and "+00:00" for "Z",
  // "UTC" and "GMT"; or another name, as "EST", whose offset is not known.
  std::string zone;

  bool operator==(const DateTime&) const = default;
};

// Reads "2020-01-31", "2020/1/31", "20200131", "2020-01", "31.01.2020", "31-Jan-2020" and "Jan 31,
// 2020", each perhaps after a weekday and with a time ("T12:30", " 12:30:05.5 PM") and a zone; "Fri
// Jan 31 12:30:05 2020"; the first day of "2020-Q1", "Q1 2020", "2020-W05" (ISO 8601) and "Jan
// 2020"; and a time alone, which is one of 1970-01-01. "31/01/2020" and "31/01/20" are
// read in `order`; years of two digits are 1969 to 2068, as POSIX strptime() has them. Returns
// nothing if the text is no date, or `order` is kSure and the text has such an order.
std::optional<DateTime> ParseDateTime(std::string_view text,
                                      job::DateOrder order = job::DateOrder::kSure);

inline constexpr char kUtc[] = "+00:00";

// Minutes east of UTC of a zone "+02:00". Returns nothing for other texts.
std::optional<int64_t> OffsetOfZone(std::string_view zone);

// The same instant in another zone. REQUIRES: both zones have an offset.
DateTime InZone(const DateTime& time, const std::string& zone);

// Days since 1970-01-01, with the time of day as a fraction.
double DaysSince1970(const DateTime& time);
// From 0, which is Monday.
int64_t WeekdayOf(const DateTime& time);

}  // namespace dl::dataset
