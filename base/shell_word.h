// Quotes a word of a command line for a shell.
#pragma once

#include <string>

namespace dl {

// Returns a text that a POSIX shell reads as one word equal to `text`. A text that consists of
// ASCII letters, digits and the characters _-./:@ is returned unchanged. Every other text,
// including the empty text, is put in single quotes, and each single quote inside is escaped.
// Thread-safe.
std::string ShellWord(const std::string& text);

}  // namespace dl
