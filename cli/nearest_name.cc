#include "cli/nearest_name.h"

#include <algorithm>

#include "base/suggest.h"

namespace dl::cli {

namespace {

// Returns the last name that begins with `begin`, or "".
std::string LastWith(const std::string& begin, const std::vector<std::string>& names) {
  const auto found = std::find_if(names.rbegin(), names.rend(),
                                  [&](const std::string& name) { return name.starts_with(begin); });
  return found == names.rend() ? "" : *found;
}

}  // namespace

std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names) {
  if (word.empty()) return "";
  std::string meant = LastWith(std::string(word) + "-", names);
  if (meant.empty()) meant = Nearest(word, names);
  if (meant.empty()) meant = LastWith(std::string(word), names);
  return meant.empty() ? "" : "; did you mean \"" + meant + "\"?";
}

}  // namespace dl::cli
