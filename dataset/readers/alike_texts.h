// Finds texts that differ only in how they are written, and so may be one category or class.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dl::dataset {

// Returns the text with ASCII letters in lower case, each run of ASCII white space and no-break
// spaces as one blank, and no blanks at the ends. Removes zero-width spaces.
std::string FoldText(const std::string& text);

struct AlikeTexts {
  std::string first, second;
  // What alone differs: "the case of letters", "blanks", "quotes or a full stop at the end",
  // "the encoding of accents".
  std::string_view difference;
};
// Returns the pairs of texts that differ only in one of the ways above. A text is compared with the
// first text before it that it equals but for these differences. Numbers are not compared. Accents
// differ in encoding if one text has a letter and a combining mark (Unicode form NFD, as macOS
// writes names of files), where the other has one character (NFC).
std::vector<AlikeTexts> FindAlikeTexts(const std::vector<std::string>& texts);

}  // namespace dl::dataset
