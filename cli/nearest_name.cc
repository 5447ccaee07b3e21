#include "cli/nearest_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/suggest.h"

namespace dl::cli {

namespace {

// Returns the last name that begins with `begin`, or "".
std::string LastWith(const std::string& begin, const std::vector<std::string>& names) {
  const auto found = std::find_if(names.rbegin(), names.rend(),
                                  [&](const std::string& name) { return name.starts_with(begin); });
  return found == names.rend() ? "" : *found;
}

// Returns the last name that contains `part`, or "" if `part` is too short to mean one.
std::string LastThatContains(const std::string& part, const std::vector<std::string>& names) {
  constexpr size_t kLeast = 3;
  const auto found = std::find_if(names.rbegin(), names.rend(), [&](const std::string& name) {
    return part.size() >= kLeast && name.find(part) != std::string::npos;
  });
  return found == names.rend() ? "" : *found;
}

}  // namespace

std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names) {
  if (word.empty()) return "";
  std::string meant = LastWith(std::string(word) + "-", names);
  if (meant.empty()) meant = Nearest(word, names);
  if (meant.empty()) meant = LastWith(std::string(word), names);
  if (meant.empty()) meant = Nearest(absl::AsciiStrToLower(std::string(word)), names);
  if (meant.empty()) meant = LastThatContains(absl::AsciiStrToLower(std::string(word)), names);
  return meant.empty() ? "" : "; did you mean \"" + meant + "\"?";
}

}  // namespace dl::cli
