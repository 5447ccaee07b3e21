// C++ text cut into what the rules look at: includes, and words with what stands around them. Not a
// parser: comments and the contents of strings are blanked first, the rest is read word by word.
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

// The same length and lines; comments and the contents of string and character literals become
// spaces.
std::string BlankCommentsAndStrings(std::string_view text);

struct Word {
  int line = 0;
  std::string text;
  std::string qualifier;   // the word before "::" in front of it, "" when there is none
  bool is_member = false;  // behind "." or "->"
  bool is_called = false;  // "(" follows
  // Behind another word, as a name in its declaration is; return and else do not count.
  bool follows_word = false;
};
// REQUIRES: `code` is what BlankCommentsAndStrings returned.
std::vector<Word> WordsOf(std::string_view code);

std::vector<std::string_view> LinesOf(std::string_view text);

}  // namespace dl::tidy
