// Quotes words of a command line for a shell.
#pragma once

#include <string>

namespace dl {

// Returns the text as one word: unchanged if it has only ASCII letters, digits and _-./:@, at least
// one of them, else in single quotes.
std::string ShellWord(const std::string& text);

}  // namespace dl
