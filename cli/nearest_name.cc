#include "cli/nearest_name.h"

#include "base/suggest.h"

namespace dl::cli {

std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names) {
  std::string meant = Nearest(word, names);
  for (auto name = names.rbegin(); meant.empty() && !word.empty() && name != names.rend(); ++name) {
    if (name->starts_with(word)) meant = *name;
  }
  return meant.empty() ? "" : "; did you mean \"" + meant + "\"?";
}

}  // namespace dl::cli
