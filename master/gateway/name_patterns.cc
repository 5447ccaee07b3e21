#include "master/gateway/name_patterns.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dl::master {
namespace {

constexpr size_t kMaxPatterns = 64;

bool Matches(std::string_view name, std::string_view pattern) {
  size_t n = 0, p = 0;
  size_t star = std::string_view::npos, after = 0;  // the last star, and where its text ends so far
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

StatusOr<NamePatterns> NamePatterns::Parse(const std::string& text) {
  NamePatterns names;
  names.patterns_ = absl::StrSplit(text, ',', absl::SkipEmpty());
  if (names.patterns_.size() <= kMaxPatterns) return names;
  return InvalidArgument({.message = absl::StrCat("at most ", kMaxPatterns, " names are possible"),
                          .where = "series",
                          .remedy = "Use * for any characters"});
}

bool NamePatterns::Match(std::string_view name) const {
  return std::ranges::any_of(patterns_,
                             [&](const std::string& pattern) { return Matches(name, pattern); });
}

}  // namespace dl::master
