// "Did you mean that file?"
#pragma once

#include <string>

namespace dl {

// Of a path that is not there: "; did you mean \"x.csv\"?" with the name beside it that is nearest,
// "; there is no folder DIR" when it would stand in none, or "".
std::string DidYouMeanFile(const std::string& path);

}  // namespace dl
