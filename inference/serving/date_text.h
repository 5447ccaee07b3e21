// Dates of a table as text, from the features that they became.
#pragma once

#include <string>

namespace dl::inference {

// Returns the date of a feature of the encoding kDate: "2020-01-31", or "2020-01-31T12:30" and
// "2020-01-31T12:30:05" if it has a time of day, with the zone after it. `value` is the feature and
// `origin` its origin, both in days; their sum is days since 1970-01-01. The text has the coarsest
// of these forms that the feature's precision allows. Returns "" for a time outside of the years 1
// to 9999, which has no such text.
std::string DateText(float value, double origin, const std::string& zone);

// Returns the date of the features of the encoding kDateParts, without the weekday. `minute` has
// the seconds as a fraction.
std::string DateText(double year, double month, double day, double hour, double minute,
                     const std::string& zone);

}  // namespace dl::inference
