#include "inference/serving/date_text.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "dataset/readers/table/date_time.h"

namespace dl::inference {
namespace {

constexpr int64_t kSecondsOfDay = 86'400;
// Days since 1970-01-01 of 0001-01-01 and of 10000-01-01.
constexpr double kFirstDay = -719'162, kEndDay = 2'932'897;

// Rounds the seconds to a whole `unit` if that changes them by at most `tolerance`.
bool IsWhole(double seconds, int64_t unit, double tolerance, int64_t& whole) {
  const double count = std::round(seconds / static_cast<double>(unit));
  if (std::abs(count * static_cast<double>(unit) - seconds) > tolerance) return false;
  whole = static_cast<int64_t>(count) * unit;
  return true;
}

std::string TextOf(int64_t seconds, const std::string& zone) {
  const int64_t days =
      seconds >= 0 ? seconds / kSecondsOfDay : -((kSecondsOfDay - 1 - seconds) / kSecondsOfDay);
  const int64_t time = seconds - days * kSecondsOfDay;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  std::string text =
      absl::StrFormat("%04d-%02d-%02d", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (time != 0) {
    absl::StrAppendFormat(&text, "T%02d:%02d", time / 3600, time / 60 % 60);
    if (time % 60 != 0) absl::StrAppendFormat(&text, ":%02d", time % 60);
  }
  const bool is_offset = dataset::OffsetOfZone(zone).has_value();
  // A date alone has no offset that its readers understand.
  if (time != 0 && !zone.empty()) absl::StrAppend(&text, is_offset ? "" : " ", zone);
  return text;
}

}  // namespace

std::string DateText(float value, double origin, const std::string& zone) {
  const double days = static_cast<double>(value) + origin;
  if (!(days >= kFirstDay && days < kEndDay)) return "";
  const double seconds = days * kSecondsOfDay;
  // Half of the distance between two neighbours of the feature, and the error of the sum.
  const double step =
      std::nextafter(std::abs(value), std::numeric_limits<float>::infinity()) - std::abs(value);
  const double tolerance = step * kSecondsOfDay / 2 + 1e-3;
  int64_t whole = 0;
  for (const int64_t unit : {kSecondsOfDay, int64_t{60}}) {
    if (IsWhole(seconds, unit, tolerance, whole)) return TextOf(whole, zone);
  }
  return TextOf(std::llround(seconds), zone);
}

std::string DateText(double year, double month, double day, double hour, double minute,
                     const std::string& zone) {
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!(year >= 1 && year <= 9999) || !date.ok()) return "";
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return TextOf(days * kSecondsOfDay + std::llround(hour * 3600 + minute * 60), zone);
}

}  // namespace dl::inference
