#include "dataset/readers/table/field_kind.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/plain_number.h"
#include "dataset/readers/table/csv_mistakes.h"
#include "dataset/readers/table/date_time.h"

namespace dl::dataset {
namespace {

bool IsDigits(std::string_view text, size_t least, size_t most) {
  return text.size() >= least && text.size() <= most &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsMonthName(std::string_view text) {
  static constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                                 "jul", "aug", "sep", "oct", "nov", "dec"};
  if (text.size() < 3 || text.size() > 9) return false;
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  for (const std::string_view month : kMonths) {
    if (lower.starts_with(month)) {
      return lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    }
  }
  return false;
}

int Small(std::string_view digits) {
  int value = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// True for "12:30" and "12:30:05.25", with or without a final "Z", "+02:00" or "PM".
bool LooksLikeTime(std::string_view text) {
  for (const std::string_view suffix :
       {"Z", " UTC", " AM", " PM", " am", " pm", "AM", "PM", " a.m.", " p.m.", "a.m.", "p.m."}) {
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(suffix.size());
    break;
  }
  // Removes the name of a zone, such as " CEST".
  const size_t blank = text.rfind(' ');
  if (blank != std::string_view::npos && blank > 0 && text.size() - blank > 3 &&
      text.size() - blank <= 6 &&
      std::all_of(text.begin() + blank + 1, text.end(),
                  [](unsigned char c) { return absl::ascii_isupper(c); })) {
    text = text.substr(0, blank);
  }
  const size_t zone = text.find_first_of("+-");
  if (zone != std::string_view::npos) {
    const std::string_view offset = text.substr(zone + 1);
    if (offset.find_first_not_of("0123456789:") != std::string_view::npos || offset.size() < 2)
      return false;
    text = text.substr(0, zone);
    while (text.ends_with(' ')) text.remove_suffix(1);
  }
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ':');
  if (parts.size() < 2 || parts.size() > 3 || !IsDigits(parts[0], 1, 2) ||
      !IsDigits(parts[1], 2, 2) || Small(parts[0]) > 24 || Small(parts[1]) > 59) {
    return false;
  }
  if (parts.size() == 2) return true;
  const std::string_view seconds = std::string_view(parts[2]);
  const size_t point = seconds.find_first_of(".,");
  return IsDigits(seconds.substr(0, point), 2, 2) &&
         (point == std::string_view::npos || IsDigits(seconds.substr(point + 1), 1, 9));
}

bool IsDay(std::string_view text) {
  return IsDigits(text, 1, 2) && Small(text) >= 1 && Small(text) <= 31;
}
bool IsYear(std::string_view text) {
  return IsDigits(text, 4, 4) && Small(text) >= 1000 && Small(text) < 3000;
}

bool LooksLikeCalendarDate(std::string_view text) {
  char separator = '\0';
  for (const char sign : {'-', '/', '.', ' '}) {
    if (text.find(sign) == std::string_view::npos) continue;
    separator = sign;
    break;
  }
  if (separator == '\0') return false;
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), separator);
  if (parts.size() == 2) return separator != '.' && IsYear(parts[0]) && IsDay(parts[1]);
  if (parts.size() != 3) return false;
  std::vector<std::string_view> rest;
  bool month = false, year = false;
  for (std::string_view part : parts) {
    if (part.ends_with(",")) part.remove_suffix(1);
    if (!month && IsMonthName(part)) {
      month = true;
    } else if (!year && IsYear(part)) {
      year = true;
    } else {
      rest.push_back(part);
    }
  }
  for (const std::string_view part : rest) {
    if (!IsDigits(part, 1, 2)) return false;
  }
  if (month) return rest.size() == (year ? 1 : 2);
  if (separator == ' ') return false;
  if (year) return rest.size() == 2 && IsDay(rest[0]) && IsDay(rest[1]);
  // True for "31/1/99". The same with points may be a version.
  return separator == '/' && IsDay(rest[0]) && IsDay(rest[1]);
}

}  // namespace

bool LooksLikeDate(std::string_view text) {
  if (text.size() < 4 || text.size() > 40) return false;
  if (HasIsoForm(text) && IsYear(text.substr(0, 4)) && IsDay(text.substr(5, 2)) &&
      IsDay(text.substr(8)))
    return true;
  if (LooksLikeTime(text)) return true;
  if (LooksLikeCalendarDate(text)) return true;
  const bool has_letter = absl::ascii_isalpha(static_cast<unsigned char>(text[0]));
  const bool has_quarter_or_week = text.find_first_of("QW") != std::string_view::npos;
  // A date may begin with a weekday or the name of a month.
  if ((has_letter || has_quarter_or_week) && ParseDateTime(text)) return true;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon < 3) return false;
  const size_t split = text.substr(0, colon).find_last_of("T ");
  return split != std::string_view::npos && LooksLikeCalendarDate(text.substr(0, split)) &&
         LooksLikeTime(text.substr(split + 1));
}

std::optional<double> FieldNumber(std::string_view text) {
  if (const auto plain = PlainNumber(text)) return plain;  // never exceeds float32
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // A number too close to 0 for double becomes 0.
  if (error == std::errc::result_out_of_range && FloatOf(text).ok()) return 0.0;
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  if (!(std::fabs(value) <= double{FLT_MAX})) return std::nullopt;
  return value;
}

FieldLook LookAtField(std::string_view text) {
  if (const auto value = FieldNumber(text)) return {.kind = FieldKind::kNumber, .value = *value};
  const bool has_digit = text.find_first_of("0123456789") != std::string_view::npos;
  if (has_digit && LooksLikeDate(text)) return {.kind = FieldKind::kDate};
  if (!has_digit && text.size() > 9 && !WithAsciiDigits(text)) return {};
  if (HasDecimalComma(text)) {
    return {.kind = FieldKind::kCommaNumber, .may_have_thousands = HasThousands(text)};
  }
  return {.kind = IsDecoratedNumber(std::string(text)) ? FieldKind::kDecorated : FieldKind::kText};
}

}  // namespace dl::dataset
