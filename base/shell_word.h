// Quotes words of a command line for a shell.
#pragma once

#include <string>

namespace dl {

// Returns the text as one word: unchanged if no character has a meaning for a shell, else in single
// quotes.
std::string ShellWord(const std::string& text);

}  // namespace dl
