// Recognizes texts that mean that a value is missing.
#pragma once

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

  bool Has(const std::string& text) const;  // whether the text means that a value is missing

 private:
  std::set<std::string> lower_;
  size_t longest_ = 0;
};

// Returns whether pandas reads the text as missing: `read_csv` with `keep_default_na` (pandas 2.2,
// IO tools).
bool IsKnownMissing(std::string_view text);

// Returns whether the text is "-", "." or similar, as it is used in place of a missing number.
bool IsPlaceholder(std::string_view text);

}  // namespace dl::dataset
