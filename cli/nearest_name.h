// Suggests an existing name for a word that names nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dl::cli {

// Returns the end of an error message, "; did you mean \"x\"?", or "" if no name fits or `word` is
// empty. The name is the first of these that exists:
//   - the last of `names` that begins with `word` and "-", as the newest job "lenet5-2" does for
//     "lenet5".
//   - the name that is nearest to `word` (base/suggest.h).
//   - the last name that begins with `word`.
//   - the name that is nearest to `word` in lower case.
//   - the last name that contains `word` in lower case, if `word` has at least three bytes.
std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names);

}  // namespace dl::cli
