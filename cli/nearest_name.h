// Which name was meant, when the one given is unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dl::cli {

// "; did you mean \"x\"?" or "". Beyond typing mistakes (base/suggest.h) it knows the beginning of
// a name: "lenet5" for "lenet5-1". Of several that begin so, the last one.
std::string DidYouMeanName(std::string_view word, const std::vector<std::string>& names);

}  // namespace dl::cli
