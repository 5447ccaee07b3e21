// Texts that say that a value is missing.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dl::dataset {

class MissingTexts {
 public:
  // Beside the empty one and blanks alone, which quotes may hold; letters of either case (ASCII)
  // are the same.
  explicit MissingTexts(const std::vector<std::string>& texts);

  bool Has(const std::string& text) const;

 private:
  std::set<std::string> lower_;
  size_t longest_ = 0;
};

// Whether pandas reads the text as missing: `read_csv` with `keep_default_na` (pandas 2.2, IO
// tools).
bool IsKnownMissing(std::string_view text);

// "-", "." and their like, which stand among numbers for one that is missing.
bool IsPlaceholder(std::string_view text);

}  // namespace dl::dataset
