// Splits C++ text into the elements that the rules look at: includes, and words with their
// surroundings. This is not a parser: it blanks comments and the contents of strings, then reads
// the rest word by word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dl::tidy {

struct Include {
  int line = 0;
  std::string name;     // "base/mutex.h"
  bool angled = false;  // <...>
};
std::vector<Include> IncludesOf(std::string_view text);

// Returns the text with comments and the contents of string and character literals replaced by
// spaces. Length and line breaks stay the same.
std::string BlankCommentsAndStrings(std::string_view text);

struct Word {
  int line = 0;
  std::string text;
  std::string qualifier;   // the word before "::" in front of it, "" if there is none
  bool is_member = false;  // follows "." or "->"
  bool is_called = false;  // "(" follows
  // Follows another word, like the name in a declaration. The words return and else do not count.
  bool follows_word = false;
};
// Returns all words in order. REQUIRES: `code` was returned by BlankCommentsAndStrings.
std::vector<Word> WordsOf(std::string_view code);

std::vector<std::string_view> LinesOf(std::string_view text);
// Returns the text without blanks at its ends.
std::string_view Trimmed(std::string_view text);

}  // namespace dl::tidy
