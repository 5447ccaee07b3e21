#include "cli/clusters/lifetime.h"

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"

namespace dl::cli {
namespace {

constexpr std::chrono::hours kLongest{24 * 365 * 100};

std::chrono::seconds UnitOf(char letter) {
  switch (letter) {
    case 's':
      return std::chrono::seconds(1);
    case 'm':
      return std::chrono::minutes(1);
    case 'h':
      return std::chrono::hours(1);
    case 'd':
      return std::chrono::hours(24);
    case 'w':
      return std::chrono::hours(24 * 7);
    default:
      return std::chrono::seconds(0);
  }
}

}  // namespace

StatusOr<Duration> ParseLifetime(const std::string& text, const std::string& where) {
  int64_t count = 0;
  const std::chrono::seconds unit = UnitOf(text.empty() ? ' ' : text.back());
  // Only digits are allowed; SimpleAtoi would also accept blanks and signs.
  const bool digits = text.find_first_not_of("0123456789") == text.size() - 1;
  if (unit.count() == 0 || !digits || !absl::SimpleAtoi(text.substr(0, text.size() - 1), &count) ||
      count < 1 || count > std::chrono::seconds(kLongest) / unit) {
    return UsageError(
        {.message =
             absl::StrCat("\"", absl::CHexEscape(text.substr(0, 40)), "\" is not a duration"),
         .where = where,
         .remedy = "Give a number with s, m, h, d or w, at most 100 years, for example 7d"});
  }
  return count * unit;
}

}  // namespace dl::cli
