// Words of a command line, as a shell reads them.
#pragma once

#include <string>

namespace dl {

// The text as one word: as it is where no letter of it means anything to a shell, else in single
// quotes.
std::string ShellWord(const std::string& text);

}  // namespace dl
