// The list of all error messages of the product, so that they can be read in one go.
#pragma once

#include <map>
#include <string>

#include "tests/tidy/checked_file.h"

namespace dl::tidy {

// Folder of the list: one file for each top-level folder of the product.
inline constexpr char kMessageFolder[] = "tests/golden/messages";

// Returns the lists: path of the file in kMessageFolder -> text. Each message stands below the path
// of its source file, in the order of the source, followed by its remedy ("  try: ..."). "{}"
// stands for a value, "[one|other]" for a choice. Messages without any fixed text are left out.
std::map<std::string, std::string> ListMessages(const SourceTree& tree);

}  // namespace dl::tidy
