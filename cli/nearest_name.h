// Suggests the name that was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dl::cli {

// Returns "; did you mean \"x\"?" or "". Besides misspellings (base/suggest.h) it recognizes the
// start of a name, such as "lenet5" for "lenet5-1". If several names begin so, suggests the last
// one.
std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names);

}  // namespace dl::cli
