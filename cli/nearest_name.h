// Suggests an existing name for a word that names nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dl::cli {

// Returns the end of an error message, "; did you mean \"x\"?", or "" if no name fits or `word` is
// empty. The name is the last of `names` that begins with `word` and "-", as the newest job
// "lenet5-2" does for "lenet5". If there is none, it is the name that is nearest to `word`
// (base/suggest.h), else the last name that begins with `word`. Last, the same is tried for `word`
// in lower case, and names that contain it.
std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names);

}  // namespace dl::cli
