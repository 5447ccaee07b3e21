#include "web/pages/text_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace dl::web {
namespace {

// Removes zeros at the end of a decimal fraction: "1.200" becomes "1.2".
std::string WithoutZeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// "1.20e-07" becomes "1.2e-7".
std::string ExponentText(double value) {
  const std::string text = absl::StrFormat("%.2e", value);
  const size_t e = text.find('e');
  return absl::StrCat(WithoutZeros(text.substr(0, e)), "e", std::stoi(text.substr(e + 1)));
}

std::string TwoUnits(int64_t large, const char* large_unit, int64_t small, const char* small_unit) {
  if (small == 0) return absl::StrCat(large, " ", large_unit);
  return absl::StrCat(large, " ", large_unit, " ", small, " ", small_unit);
}

}  // namespace

std::string CountText(int64_t count) {
  std::string digits = absl::StrCat(count);
  const size_t sign = count < 0 ? 1 : 0;
  for (size_t i = digits.size(); i > sign + 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

std::string BytesText(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return absl::StrCat(absl::StrFormat(unit == 0 || bytes >= 100 ? "%.0f" : "%.1f", bytes), " ",
                      kUnits[unit]);
}

std::string DurationText(double seconds) {
  if (!(seconds >= 0)) return "";
  if (seconds < 0.00005) return "0 s";
  if (seconds < 0.00995)
    return absl::StrCat(WithoutZeros(absl::StrFormat("%.1f", 1000 * seconds)), " ms");
  if (seconds < 0.9995) return absl::StrFormat("%.0f ms", 1000 * seconds);
  if (seconds < 9.95) return absl::StrFormat("%.1f s", seconds);
  if (seconds > 1e15) return absl::StrFormat("%.3g s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return TwoUnits(whole / 60, "min", whole % 60, "s");
  if (whole < 86400) return TwoUnits(whole / 3600, "h", whole % 3600 / 60, "min");
  return TwoUnits(whole / 86400, "d", whole % 86400 / 3600, "h");
}

std::string TimeText(int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "";
  return absl::StrFormat("%04d-%02d-%02d %02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1,
                         parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-3 || size >= 1e9) return ExponentText(value);
  if (size >= 1000) return CountText(std::llround(value));
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
  return WithoutZeros(absl::StrFormat("%.*f", decimals, value));
}

std::string PercentText(double share) { return absl::StrFormat("%.1f %%", share * 100); }

}  // namespace dl::web
