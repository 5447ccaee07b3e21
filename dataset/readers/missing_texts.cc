#include "dataset/readers/missing_texts.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace dl::dataset {

MissingTexts::MissingTexts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    lower_.insert(absl::AsciiStrToLower(text));
    longest_ = std::max(longest_, text.size());
  }
}

bool MissingTexts::Has(const std::string& text) const {
  if (text.empty()) return true;
  return text.size() <= longest_ && lower_.contains(absl::AsciiStrToLower(text));
}

}  // namespace dl::dataset
