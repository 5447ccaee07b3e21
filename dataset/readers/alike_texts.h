// Finds texts that differ only in how they are written, and so may be one category or class.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dl::dataset {

struct AlikeTexts {
  std::string first, second;
  // A difference of the texts, such as "the case of letters" (Latin, Greek, Cyrillic), "blanks",
  // "the form of dashes", "full-width characters", "characters that HTML escapes" ("&amp;") or "the
  // encoding of accents". If they differ in several of these ways, one of the ways.
  std::string_view difference;
};
// Returns the pairs of texts that differ only in such ways. A text is compared with the first text
// before it that it equals but for these differences. Numbers are not compared. Accents differ in
// encoding if one text has a letter and a combining mark (Unicode form NFD, as macOS writes names
// of files), where the other has one character (NFC). The encoding of characters differs if a
// program read the UTF-8 of one text as Windows-1252.
std::vector<AlikeTexts> FindAlikeTexts(const std::vector<std::string>& texts);

}  // namespace dl::dataset
