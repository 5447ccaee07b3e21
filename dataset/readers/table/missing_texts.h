// Recognizes texts that mean that a value is missing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dl::dataset {

class MissingTexts {
 public:
  // `texts` mean that a value is missing, in addition to the empty text and to a text of blanks
  // (also in quotes). Upper and lower case (ASCII) are equal.
  explicit MissingTexts(const std::vector<std::string>& texts);

  // Returns whether a text that begins like a number may mean that a value is missing.
  bool MayBeNumbers() const {
    constexpr std::string_view kBegins = "0123456789+-.";
    return std::ranges::any_of(kBegins, [&](unsigned char c) { return may_begin_[c]; });
  }
  // Returns whether the text means that a value is missing.
  bool Has(std::string_view text) const {
    if (text.empty()) return true;
    const auto first = static_cast<unsigned char>(text.front());
    return may_begin_[first] && (text.size() <= longest_ || IsBlank(first)) && Find(text);
  }

 private:
  static bool IsBlank(unsigned char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  bool Find(std::string_view text) const;

  std::set<std::string> lower_;
  std::array<bool, 256> may_begin_ = {};  // by the first character of the text
  size_t longest_ = 0;
};

// Returns whether the text is known to mean a missing value: pandas reads it so (`read_csv` with
// `keep_default_na`, pandas 2.2, IO tools), or it is an error of a spreadsheet, such as "#DIV/0!".
bool IsKnownMissing(std::string_view text);

// Returns whether the text is "-", "." or similar, as it is used in place of a missing number.
bool IsPlaceholder(std::string_view text);

}  // namespace dl::dataset
