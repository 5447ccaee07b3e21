#include "dataset/readers/table/date_time.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace dl::dataset {
namespace {

// Returns the value of a text of digits only.
std::optional<int64_t> DigitsIn(std::string_view text) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole && text[0] != '-' ? std::optional(value) : std::nullopt;
}

// Returns the number of a month, from 1.
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

// Reads "20200131".
bool ReadCompactDate(std::string_view text, DateTime& out) {
  const auto year = DigitsIn(text.substr(0, 4));
  return year && *year >= 1900 && *year <= 2100 &&
         SetDate(year, DigitsIn(text.substr(4, 2)), DigitsIn(text.substr(6)), out);
}

// Returns the value of a month or a day. "2020/031" is the 31st day of a year and not a month.
std::optional<int64_t> ShortNumber(std::string_view text) {
  return text.size() > 2 ? std::nullopt : DigitsIn(text);
}

// Reads a date of three parts that does not begin with a year of four digits.
bool ReadYearLast(const std::vector<std::string_view>& parts, const std::string& signs,
                  job::DateOrder order, DateTime& out) {
  const auto month_of_name = MonthNamed(parts[1]);
  if (parts[2].size() == 4 && month_of_name)
    return SetDate(DigitsIn(parts[2]), month_of_name, DigitsIn(parts[0]), out);
  if (const auto month = MonthNamed(parts[0]); month && parts[2].size() == 4)
    return SetDate(DigitsIn(parts[2]), month, DigitsIn(parts[1]), out);
  if (parts[0].size() > 2 || parts[1].size() > 2 || signs[0] != signs[1]) return false;
  const auto first = DigitsIn(parts[0]), second = DigitsIn(parts[1]), year = YearIn(parts[2]);
  // With points, the day comes first.
  if (signs == ".." && parts[2].size() == 4) return SetDate(year, second, first, out);
  if (order == job::DateOrder::kSure || signs == "  ") return false;
  const bool day_first = order == job::DateOrder::kDayFirst;
  return SetDate(year, day_first ? second : first, day_first ? first : second, out);
}

// Returns the days of the date without the time (Hinnant, chrono-Compatible Low-Level Date
// Algorithms, days_from_civil).
int64_t WholeDays(const DateTime& time) {
  const int64_t year = time.year - (time.month <= 2 ? 1 : 0);
  const int64_t era = year / 400, of_era = year - era * 400;
  const int64_t of_year = (153 * (time.month + (time.month > 2 ? -3 : 9)) + 2) / 5 + time.day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// Sets the date from its WholeDays() (same source, civil_from_days). REQUIRES: a date after the
// year 0.
void SetWholeDays(int64_t days, DateTime& out) {
  const int64_t shifted = days + 719468, era = shifted / 146097, of_era = shifted % 146097;
  const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const int64_t month = (5 * of_year + 2) / 153;
  out.day = of_year - (153 * month + 2) / 5 + 1;
  out.month = month < 10 ? month + 3 : month - 9;
  out.year = year + era * 400 + (out.month <= 2 ? 1 : 0);
}

// Reads "2020Q1", "2020-Q1", "Q1 2020" and "2020-W05": the first day of the quarter or the week.
bool ReadQuarterOrWeek(std::string_view text, DateTime& out) {
  const size_t letter = text.find_first_of("QW");
  if (letter == std::string_view::npos) return false;
  std::string_view before = text.substr(0, letter), after = text.substr(letter + 1);
  if (text[letter] == 'Q' && before.empty() && after.size() == 6 &&
      (after[1] == ' ' || after[1] == '-')) {
    before = after.substr(2);
    after = after.substr(0, 1);
  }
  if (before.size() == 5 && (before.ends_with("-") || before.ends_with(" ")))
    before.remove_suffix(1);
  const auto year = DigitsIn(before), number = DigitsIn(after);
  if (before.size() != 4 || !year || !number || *year < 1) return false;
  if (text[letter] == 'Q') {
    return after.size() == 1 && *number >= 1 && *number <= 4 &&
           SetDate(year, 3 * *number - 2, 1, out);
  }
  if (after.size() != 2 || *number < 1 || *number > 53) return false;
  // The week of January 4 is the first one. Weeks begin on Monday.
  if (!SetDate(year, 1, 4, out)) return false;
  const int64_t fourth = WholeDays(out), monday = fourth - (fourth + 3) % 7;
  SetWholeDays(monday + 7 * (*number - 1), out);
  return true;
}

bool ReadDate(std::string_view text, job::DateOrder order, DateTime& out) {
  if (ReadQuarterOrWeek(text, out)) return true;
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
    return SetDate(DigitsIn(parts[0]), ShortNumber(parts[1]), 1, out);
  if (parts.size() == 2 && parts[1].size() == 4 && MonthNamed(parts[0]))
    return SetDate(DigitsIn(parts[1]), MonthNamed(parts[0]), 1, out);
  if (parts.size() != 3) return false;
  if (parts[0].size() != 4) return ReadYearLast(parts, signs, order, out);
  return SetDate(DigitsIn(parts[0]), ShortNumber(parts[1]), ShortNumber(parts[2]), out) ||
         SetDate(DigitsIn(parts[0]), MonthNamed(parts[1]), ShortNumber(parts[2]), out);
}

// Turns "Jan 31 12:30:05 2020" into "Jan 31 2020 12:30:05", and removes a weekday at the start.
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

constexpr int64_t kHourMinutes = 60, kDayMinutes = 24 * kHourMinutes;

std::string ZoneText(int64_t offset) {
  const int64_t minutes = std::abs(offset);
  return absl::StrFormat("%c%02d:%02d", offset < 0 ? '-' : '+', minutes / kHourMinutes,
                         minutes % kHourMinutes);
}

// Returns the minutes of "+02:00", "+0200" or "+2".
std::optional<int64_t> ReadOffset(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const bool is_west = text[0] == '-';
  text.remove_prefix(1);
  const size_t colon = text.find(':');
  const size_t hour_digits = colon != std::string_view::npos ? colon
                             : text.size() > 2               ? text.size() - 2
                                                             : text.size();
  const size_t minutes_at = colon == std::string_view::npos ? hour_digits : colon + 1;
  const auto hours = DigitsIn(text.substr(0, hour_digits));
  const auto minutes = minutes_at < text.size() ? DigitsIn(text.substr(minutes_at)) : 0;
  constexpr int64_t kMostHours = 18;
  if (!hours || !minutes || *hours > kMostHours || *minutes >= kHourMinutes) return std::nullopt;
  const int64_t offset = *hours * kHourMinutes + *minutes;
  return is_west ? -offset : offset;
}

bool IsUtcName(std::string_view name) { return name == "UTC" || name == "GMT" || name == "Z"; }

// Removes blanks at the end.
void TrimEnd(std::string_view& text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
}

// Removes a zone from the end of a time and stores it. Returns false if the text at the end is not
// a zone.
bool TakeZone(std::string_view& text, DateTime& out) {
  size_t letters = text.size();
  while (letters > 0 && absl::ascii_isupper(static_cast<unsigned char>(text[letters - 1])))
    --letters;
  const std::string_view name = text.substr(letters);
  const bool after_blank = letters > 0 && text[letters - 1] == ' ';
  if (IsUtcName(name) || (after_blank && name.size() >= 3 && name.size() <= 5)) {
    out.zone = IsUtcName(name) ? kUtc : std::string(name);
    text = text.substr(0, letters);
    TrimEnd(text);
    return true;
  }
  const size_t sign = text.find_first_of("+-");
  if (sign == std::string_view::npos) return true;
  const auto offset = ReadOffset(text.substr(sign));
  if (!offset) return false;
  out.zone = ZoneText(*offset);
  text = text.substr(0, sign);
  TrimEnd(text);
  for (const std::string_view utc : {"UTC", "GMT"}) {  // "GMT+0100"
    if (text.ends_with(utc)) text.remove_suffix(utc.size());
  }
  return true;
}

bool ReadTime(std::string_view text, DateTime& out) {
  if (!TakeZone(text, out)) return false;
  TrimEnd(text);
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  const bool has_points = lower.ends_with("a.m.") || lower.ends_with("p.m.");
  const bool morning = lower.ends_with("am") || lower.ends_with("a.m.");
  const bool evening = lower.ends_with("pm") || lower.ends_with("p.m.");
  if (morning || evening) text.remove_suffix(has_points ? 4 : 2);
  TrimEnd(text);
  const size_t first = text.find(':');
  if (first == std::string_view::npos) return false;
  const size_t second = text.find(':', first + 1);
  auto hour = DigitsIn(text.substr(0, first));
  const auto minute = DigitsIn(text.substr(first + 1, second - first - 1));
  double seconds = 0;
  if (second != std::string_view::npos) {
    std::string rest(text.substr(second + 1));
    if (const size_t comma = rest.find(','); comma != rest.npos) rest[comma] = '.';
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

}  // namespace

bool HasIsoForm(std::string_view text) {
  constexpr size_t kSize = 10, kYearEnd = 4, kMonthEnd = 7;
  if (text.size() != kSize) return false;
  for (size_t i = 0; i < kSize; ++i) {
    const bool is_sign = i == kYearEnd || i == kMonthEnd;
    if (is_sign ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

std::optional<DateTime> ParseDateTime(std::string_view given, job::DateOrder order) {
  DateTime time;
  if (HasIsoForm(given) && SetDate(DigitsIn(given.substr(0, 4)), DigitsIn(given.substr(5, 2)),
                                   DigitsIn(given.substr(8)), time))
    return time;
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

std::optional<int64_t> OffsetOfZone(std::string_view zone) {
  const bool has_sign = zone.starts_with("+") || zone.starts_with("-");
  return has_sign ? ReadOffset(zone) : std::nullopt;
}

DateTime InZone(const DateTime& time, const std::string& zone) {
  DateTime moved = time;
  moved.zone = zone;
  const int64_t minutes = WholeDays(time) * kDayMinutes + time.hour * kHourMinutes + time.minute -
                          *OffsetOfZone(time.zone) + *OffsetOfZone(zone);
  const int64_t of_day = (minutes % kDayMinutes + kDayMinutes) % kDayMinutes;
  SetWholeDays((minutes - of_day) / kDayMinutes, moved);
  moved.hour = of_day / kHourMinutes;
  moved.minute = of_day % kHourMinutes;
  return moved;
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
