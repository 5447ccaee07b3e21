// Suggests an existing name for a word that names nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dl::cli {

// Returns the end of an error message, "; did you mean \"x\"?", with the name that is nearest to
// `word` (base/suggest.h). If no name is near, uses the last of `names` that begins with `word`,
// for example "resnet18-2" for "res". Returns "" if no name begins with `word` either, or if `word`
// is empty and no name is near.
std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names);

}  // namespace dl::cli
