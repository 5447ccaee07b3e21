// Dates of a table as text, from the features that they became.
#pragma once

#include <string>

namespace dl::inference {

// Returns the date of a feature of the encoding kDate: "2020-01-31", or "2020-01-31T12:30" and
// "2020-01-31T12:30:05" with the zone after it, if the time of day is not 0:00. `value` is the
// feature and `origin` its origin, both in days; their sum is days since 1970-01-01. The text has
// the coarsest of these forms that the feature's precision allows. Returns "" for a time outside of
// the years 1 to 9999, which has no such text.
std::string DateText(float value, double origin, const std::string& zone);

// Returns the same text for the features of the encoding kDateParts, which are given without the
// weekday. `minute` has the seconds as a fraction. Returns "" if there is no such date.
std::string DateText(double year, double month, double day, double hour, double minute,
                     const std::string& zone);

}  // namespace dl::inference
