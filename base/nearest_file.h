// Suggestions for an error message about a path that does not exist.
#pragma once

#include <string>

namespace dl {

// Returns the end of the message: "; did you mean \"x.csv\"?" with the most similar name in the
// same folder, "; there is no folder DIR" if DIR is not a folder, or "" if no name is similar.
// Looks at no more than 10,000 names of the folder.
std::string SuggestFile(const std::string& path);

}  // namespace dl
