#include "dataset/readers/alike_texts.h"

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {
namespace {

unsigned char ByteAt(const std::string& text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// Combining marks are U+0300 to U+036F.
bool HasMarkAt(const std::string& text, size_t at) {
  const unsigned char lead = ByteAt(text, at);
  return lead == 0xcc || (lead == 0xcd && ByteAt(text, at + 1) < 0xb0);
}

bool HasMark(const std::string& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (HasMarkAt(text, i)) return true;
  }
  return false;
}

// Returns the text with one sign for each letter with an accent, in either encoding. Letters of one
// character are U+00C0 to U+024F.
std::string WithoutAccents(const std::string& text) {
  constexpr char kAccented = '\x01';
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char lead = ByteAt(text, i);
    if (HasMarkAt(text, i)) {
      if (!out.empty()) out.back() = kAccented;
      ++i;
    } else if (lead >= 0xc3 && lead <= 0xc9) {
      out.push_back(kAccented);
      ++i;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

// Removes quotes around the text and a full stop at its end.
std::string WithoutPunctuation(const std::string& folded) {
  std::string_view text = folded;
  for (const char quote : {'"', '\''}) {
    if (text.size() > 2 && text.front() == quote && text.back() == quote)
      text = text.substr(1, text.size() - 2);
  }
  if (text.size() > 1 && text.back() == '.') text.remove_suffix(1);
  return std::string(text);
}

std::string_view DifferenceOf(const std::string& a, const std::string& b) {
  if (absl::AsciiStrToLower(a) == absl::AsciiStrToLower(b)) return "the case of letters";
  if (FoldText(a) == FoldText(b)) return "blanks";
  if (WithoutPunctuation(FoldText(a)) == WithoutPunctuation(FoldText(b)))
    return "quotes or a full stop at the end";
  return HasMark(a) != HasMark(b) ? "the encoding of accents" : "";
}

}  // namespace

std::string FoldText(const std::string& text) {
  std::string folded = absl::StrReplaceAll(
      absl::AsciiStrToLower(text),
      {{"\xc2\xa0", " "}, {"\xe2\x80\x8b", ""}, {"\xef\xbb\xbf", ""}, {"\xe2\x80\xaf", " "}});
  absl::RemoveExtraAsciiWhitespace(&folded);
  return folded;
}

std::vector<AlikeTexts> FindAlikeTexts(const std::vector<std::string>& texts) {
  std::vector<AlikeTexts> pairs;
  std::map<std::string, std::string> first_with;  // by what is left without the differences
  for (const std::string& text : texts) {
    if (CanonicalNumber(text)) continue;
    const auto [first, is_new] =
        first_with.emplace(WithoutAccents(WithoutPunctuation(FoldText(text))), text);
    if (is_new || first->second == text) continue;
    const std::string_view difference = DifferenceOf(first->second, text);
    if (!difference.empty()) pairs.push_back({first->second, text, difference});
  }
  return pairs;
}

}  // namespace dl::dataset
