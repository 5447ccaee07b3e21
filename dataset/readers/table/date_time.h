// Parses dates and times of day.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "job/sources/table_values.h"

namespace dl::dataset {

// A date and time of the proleptic Gregorian calendar, as the text states them.
struct DateTime {
  int64_t year = 1970, month = 1, day = 1;
  int64_t hour = 0, minute = 0;
  double second = 0;
  // The zone in the text: "" if there is none; the offset from UTC, such as "+02:00", with "+00:00"
  // for "Z", "UTC" and "GMT"; or another name, such as "EST", whose offset is not known.
  std::string zone;

  bool operator==(const DateTime&) const = default;
};

// Parses a date, a time, or both. Returns nullopt if the text is neither, or if `order` is kSure
// and its form, such as "31/01/2020", does not define the order of day and month. Forms:
//   - "2020-01-31", "2020/1/31", "2020-01", "31.01.2020", "31-Jan-2020", "Jan 31, 2020",
//   - "20200131", for years from 1900 to 2100,
//   - the same after a weekday, or before a time ("T12:30", " 12:30:05.5 PM", " 12:30:05,5 p.m.")
//     and a zone,
//   - "Fri Jan 31 12:30:05 2020",
//   - "2020-Q1", "Q1 2020", "2020-W05" (ISO 8601) and "Jan 2020": their first day,
//   - a time alone, which is a time on 1970-01-01,
//   - "31/01/2020" and "31/01/20" in `order`. Years of two digits are 1969 to 2068, as in POSIX
//     strptime().
std::optional<DateTime> ParseDateTime(std::string_view text,
                                      job::DateOrder order = job::DateOrder::kSure);

// Returns whether the text has the form "2020-01-31", of which no order of day and month is asked.
// The numbers may be out of range.
bool HasIsoForm(std::string_view text);

// Returns whether the text, which ParseDateTime can read, is a time without a date.
inline bool IsTimeAlone(std::string_view text) {
  const size_t colon = text.find(':');  // after one or two digits of the hour
  return colon == 1 || colon == 2;
}

inline constexpr char kUtc[] = "+00:00";

// Returns the minutes east of UTC of a zone such as "+02:00"; nullopt for other texts.
std::optional<int64_t> OffsetOfZone(std::string_view zone);

// Converts a time to another zone. REQUIRES: both zones have an offset.
DateTime InZone(const DateTime& time, const std::string& zone);

// Returns the days since 1970-01-01, with the time of day as a fraction.
double DaysSince1970(const DateTime& time);
// Returns the weekday; 0 is Monday.
int64_t WeekdayOf(const DateTime& time);

}  // namespace dl::dataset
