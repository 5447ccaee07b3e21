// Suggests the name that was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dl::cli {

// Returns "; did you mean \"x\"?" with the name that is nearest to `word` (base/suggest.h). If none
// is near, suggests a name that begins with `word`, such as "lenet5-1" for "lenet5". If several
// names begin so, suggests the last one in `names`. Returns "" if no name is suitable.
std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names);

}  // namespace dl::cli
