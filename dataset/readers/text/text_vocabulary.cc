#include "dataset/readers/text/text_vocabulary.h"

#include <algorithm>
#include <span>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/utf8.h"

namespace dl::dataset {
namespace {

bool IsCharacter(const std::string& text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return !text.empty() && IsUtf8(text) && std::all_of(text.begin() + 1, text.end(), continues);
}

}  // namespace

std::optional<job::TextUnit> UnitOfVocabulary(const std::vector<std::string>& vocabulary) {
  if (vocabulary.empty()) return std::nullopt;
  const auto tokens =
      std::span(vocabulary).first(vocabulary.size() - (vocabulary.back() == kMaskToken ? 1 : 0));
  if (std::ranges::equal(tokens, TextTokens(job::TextUnit::kByte).texts()))
    return job::TextUnit::kByte;
  if (vocabulary.front() == kUnknown) return job::TextUnit::kWord;
  const auto is_token = [](const std::string& text) {
    return IsCharacter(text) || text == kUnknown || text == kMaskToken;
  };
  if (std::all_of(vocabulary.begin(), vocabulary.end(), is_token)) return job::TextUnit::kCharacter;
  return std::nullopt;
}

StatusOr<std::vector<int32_t>> IndicesIn(const std::vector<std::string>& vocabulary,
                                         const TextTokens& read) {
  absl::flat_hash_map<std::string, int32_t> known;
  for (const std::string& text : vocabulary)
    known.emplace(text, static_cast<int32_t>(known.size()));
  const auto unknown = known.find(std::string(kUnknown));
  std::vector<int32_t> indices;
  for (size_t i = 0; i < read.texts().size(); ++i) {
    const auto found = known.find(read.texts()[i]);
    if (found != known.end()) {
      indices.push_back(found->second);
    } else if (unknown != known.end()) {
      indices.push_back(unknown->second);
    } else {
      return InvalidArgument(
          {.message = absl::StrCat("the text of the training split does not contain \"",
                                   Excerpt(read.texts()[i]), "\""),
           .where = read.places()[i],
           .remedy = "Set unknown_character to \"token\" for both splits, so that <unk> stands "
                     "for it; or train on a text that has it, or set unit to \"byte\""});
    }
  }
  std::vector<int32_t> tokens;
  tokens.reserve(read.tokens().size());
  for (const int32_t token : read.tokens()) tokens.push_back(indices[token]);
  return tokens;
}

std::string TokenText(std::string_view token, job::TextUnit unit, std::string_view before) {
  switch (unit) {
    case job::TextUnit::kCharacter:
      break;
    case job::TextUnit::kByte:
      return absl::HexStringToBytes(std::string(token));
    case job::TextUnit::kWord:
      if (token == kLineEnd) return "\n";
      if (!before.empty() && !before.ends_with('\n')) return absl::StrCat(" ", std::string(token));
  }
  return std::string(token);
}

}  // namespace dl::dataset
