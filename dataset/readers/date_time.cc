#include "dataset/readers/date_time.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace dl::dataset {
namespace {

// Digits alone.
std::optional<int64_t> DigitsIn(std::string_view text) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole && text[0] != '-' ? std::optional(value) : std::nullopt;
}

// From 1.
std::optional<int64_t> MonthNamed(std::string_view text) {
  static constexpr std::string_view kMonths[] = {"january",   "february", "march",    "april",
                                                 "may",       "june",     "july",     "august",
                                                 "september", "october",  "november", "december"};
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  for (int64_t month = 1; lower.size() >= 3 && month <= 12; ++month) {
    if (kMonths[month - 1].starts_with(lower)) return month;
  }
  return std::nullopt;
}

int64_t DaysIn(int64_t year, int64_t month) {
  static constexpr int64_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool SetDate(std::optional<int64_t> year, std::optional<int64_t> month, std::optional<int64_t> day,
             DateTime& out) {
  if (!year || !month || !day || *year < 1 || *year > 9999 || *month < 1 || *month > 12 ||
      *day < 1 || *day > DaysIn(*year, *month)) {
    return false;
  }
  out.year = *year;
  out.month = *month;
  out.day = *day;
  return true;
}

// Years of two digits are 1969 to 2068.
std::optional<int64_t> YearIn(std::string_view text) {
  const auto year = DigitsIn(text);
  if (!year || text.size() == 4) return year;
  if (text.size() != 2) return std::nullopt;
  return *year + (*year < 69 ? 2000 : 1900);
}

// "20200131".
bool ReadCompactDate(std::string_view text, DateTime& out) {
  const auto year = DigitsIn(text.substr(0, 4));
  return year && *year >= 1900 && *year <= 2100 &&
         SetDate(year, DigitsIn(text.substr(4, 2)), DigitsIn(text.substr(6)), out);
}

// Three parts of a date of which the first is no year of four digits.
bool ReadYearLast(const std::vector<std::string_view>& parts, const std::string& signs,
                  job::DateOrder order, DateTime& out) {
  const auto month_of_name = MonthNamed(parts[1]);
  if (parts[2].size() == 4 && month_of_name)
    return SetDate(DigitsIn(parts[2]), month_of_name, DigitsIn(parts[0]), out);
  if (const auto month = MonthNamed(parts[0]); month && parts[2].size() == 4)
    return SetDate(DigitsIn(parts[2]), month, DigitsIn(parts[1]), out);
  if (parts[0].size() > 2 || parts[1].size() > 2 || signs[0] != signs[1]) return false;
  const auto first = DigitsIn(parts[0]), second = DigitsIn(parts[1]), year = YearIn(parts[2]);
  // With points the day comes first.
  if (signs == ".." && parts[2].size() == 4) return SetDate(year, second, first, out);
  if (order == job::DateOrder::kSure || signs == "  ") return false;
  const bool day_first = order == job::DateOrder::kDayFirst;
  return SetDate(year, day_first ? second : first, day_first ? first : second, out);
}

bool ReadDate(std::string_view text, job::DateOrder order, DateTime& out) {
  if (text.size() == 8 && DigitsIn(text)) return ReadCompactDate(text, out);
  std::vector<std::string_view> parts;
  std::string signs;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find_first_of("-/. ", at), text.size());
    std::string_view part = text.substr(at, end - at);
    if (part.ends_with(",")) part.remove_suffix(1);
    if (part.empty()) return false;
    parts.push_back(part);
    if (end < text.size()) signs.push_back(text[end]);
    at = end + 1;
  }
  if (parts.size() == 2 && (signs == "-" || signs == "/") && parts[0].size() == 4)
    return SetDate(DigitsIn(parts[0]), DigitsIn(parts[1]), 1, out);
  if (parts.size() != 3) return false;
  if (parts[0].size() != 4) return ReadYearLast(parts, signs, order, out);
  return SetDate(DigitsIn(parts[0]), DigitsIn(parts[1]), DigitsIn(parts[2]), out) ||
         SetDate(DigitsIn(parts[0]), MonthNamed(parts[1]), DigitsIn(parts[2]), out);
}

// "Jan 31 12:30:05 2020" as "Jan 31 2020 12:30:05", and texts without the weekday at their begin.
std::string InUsualOrder(std::string_view text) {
  static constexpr std::string_view kDays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                               "friday", "saturday", "sunday"};
  std::vector<std::string> words = absl::StrSplit(std::string(text), ' ', absl::SkipEmpty());
  if (words.size() > 1 && words[0].size() >= 3) {
    std::string first = absl::AsciiStrToLower(words[0]);
    if (first.ends_with(",")) first.pop_back();
    const bool is_day = first.size() >= 3 &&
                        std::any_of(std::begin(kDays), std::end(kDays),
                                    [&](std::string_view day) { return day.starts_with(first); });
    if (is_day) words.erase(words.begin());
  }
  const bool year_last = words.size() >= 4 && MonthNamed(words[0]) &&
                         words[2].find(':') != std::string::npos && words.back().size() == 4 &&
                         DigitsIn(words.back());
  if (year_last) {
    words.insert(words.begin() + 2, words.back());
    words.pop_back();
  }
  return absl::StrJoin(words, " ");
}

// Removes a suffix of a zone; false: what stands there is none.
bool RemoveZone(std::string_view& text) {
  if (text.ends_with("Z")) {
    text.remove_suffix(1);
    return true;
  }
  // " UTC", " EST", " CEST"
  const size_t blank = text.rfind(' ');
  const std::string_view name = blank == std::string_view::npos ? "" : text.substr(blank + 1);
  const bool is_named =
      name.size() >= 3 && name.size() <= 5 &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return absl::ascii_isupper(c); });
  if (is_named) {
    text = text.substr(0, blank);
    return true;
  }
  const size_t sign = text.find_first_of("+-");
  if (sign == std::string_view::npos) return true;
  if (text.substr(sign + 1).find_first_not_of("0123456789:") != std::string_view::npos)
    return false;
  text = text.substr(0, sign);
  return true;
}

bool ReadTime(std::string_view text, DateTime& out) {
  if (!RemoveZone(text)) return false;
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  const bool morning = lower.ends_with("am"), evening = lower.ends_with("pm");
  if (morning || evening) text.remove_suffix(2);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const size_t first = text.find(':');
  if (first == std::string_view::npos) return false;
  const size_t second = text.find(':', first + 1);
  auto hour = DigitsIn(text.substr(0, first));
  const auto minute = DigitsIn(text.substr(first + 1, second - first - 1));
  double seconds = 0;
  if (second != std::string_view::npos) {
    const std::string_view rest = text.substr(second + 1);
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), seconds);
    if (error != std::errc() || stop != rest.data() + rest.size() ||
        !(seconds >= 0 && seconds < 61))
      return false;
  }
  if (!hour || !minute || *hour > 24 || *minute > 59) return false;
  if ((morning || evening) && (*hour < 1 || *hour > 12)) return false;
  if (morning || evening) hour = *hour % 12 + (evening ? 12 : 0);
  out.hour = *hour;
  out.minute = *minute;
  out.second = seconds;
  return true;
}

// Days of the date alone (Hinnant, chrono-Compatible Low-Level Date Algorithms, days_from_civil).
int64_t WholeDays(const DateTime& time) {
  const int64_t year = time.year - (time.month <= 2 ? 1 : 0);
  const int64_t era = year / 400, of_era = year - era * 400;
  const int64_t of_year = (153 * (time.month + (time.month > 2 ? -3 : 9)) + 2) / 5 + time.day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

}  // namespace

std::optional<DateTime> ParseDateTime(std::string_view given, job::DateOrder order) {
  DateTime time;
  if (given.empty() || given.size() > 60) return std::nullopt;
  if (ReadTime(given, time)) return time;
  const std::string usual = InUsualOrder(given);
  const std::string_view text = usual;
  time = {};
  if (ReadDate(text, order, time)) return time;
  time = {};
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const size_t split = text.substr(0, colon).find_last_of("T ");
  if (split == std::string_view::npos) return std::nullopt;
  if (!ReadDate(text.substr(0, split), order, time) || !ReadTime(text.substr(split + 1), time))
    return std::nullopt;
  return time;
}

double DaysSince1970(const DateTime& time) {
  constexpr double kSecondsOfDay = 86400;
  const double seconds = static_cast<double>(time.hour * 3600 + time.minute * 60) + time.second;
  return static_cast<double>(WholeDays(time)) + seconds / kSecondsOfDay;
}

int64_t WeekdayOf(const DateTime& time) {
  return ((WholeDays(time) + 3) % 7 + 7) % 7;  // 1970-01-01 was a Thursday
}

}  // namespace dl::dataset
