// Suggests a file name for a path that does not exist.
#pragma once

#include <string>

namespace dl {

// Returns "; did you mean \"x.csv\"?" with the most similar name in the same folder, "; there is no
// folder DIR" if the folder does not exist, or "".
std::string DidYouMeanFile(const std::string& path);

}  // namespace dl
