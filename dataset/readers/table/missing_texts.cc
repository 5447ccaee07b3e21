#include "dataset/readers/table/missing_texts.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"

namespace dl::dataset {

MissingTexts::MissingTexts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    lower_.insert(absl::AsciiStrToLower(text));
    longest_ = std::max(longest_, text.size());
  }
  for (size_t c = 0; c < may_begin_.size(); ++c) {
    const auto first = static_cast<unsigned char>(c);
    const char lower = static_cast<char>(absl::ascii_tolower(first));
    may_begin_[c] = IsBlank(first) || std::ranges::any_of(lower_, [&](const std::string& text) {
                      return text.starts_with(lower);
                    });
  }
}

bool MissingTexts::Find(std::string_view text) const {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return true;
  return text.size() <= longest_ && lower_.contains(absl::AsciiStrToLower(std::string(text)));
}

bool IsKnownMissing(std::string_view text) {
  static constexpr std::string_view kTexts[] = {
      "",        "#N/A",   "#N/A N/A", "#NA",     "-1.#IND", "-1.#QNAN", "-NaN",  "-nan", "1.#IND",
      "1.#QNAN", "<NA>",   "N/A",      "NA",      "NULL",    "NaN",      "None",  "n/a",  "nan",
      "null",    "1.#INF", "#DIV/0!",  "#VALUE!", "#REF!",   "#NUM!",    "#NAME?"};
  return std::find(std::begin(kTexts), std::end(kTexts), text) != std::end(kTexts);
}

bool IsPlaceholder(std::string_view text) {
  constexpr std::string_view kSigns = "-.?*_\xe2\x80\x93\x94\xa6";  // also dashes and an ellipsis
  return !text.empty() && text.size() <= 3 &&
         text.find_first_not_of(kSigns) == std::string_view::npos;
}

}  // namespace dl::dataset
