#include "job/sources/text.h"

#include "base/json.h"

namespace dl::job {
namespace {

constexpr std::string_view Word(TextUnit unit) {
  switch (unit) {
    case TextUnit::kCharacter:
      return "character";
    case TextUnit::kWord:
      return "word";
    case TextUnit::kByte:
      return "byte";
  }
  return "";
}

}  // namespace

void TextSource::Check(nn::Mistakes& mistakes) const {
  if (vocabulary_size > 0 && unit != TextUnit::kWord) {
    mistakes.Add("vocabulary_size is of words, and the text is not cut into words",
                 "Set unit to \"word\", or leave vocabulary_size out");
  }
  if (unknown_character == UnknownCharacter::kToken && unit != TextUnit::kCharacter) {
    mistakes.Add("unknown_character is of characters, and the text is not cut into characters",
                 "Leave it out: <unk> stands for unknown words, and all bytes are known");
  }
  if (vocabulary_size == 1) {
    mistakes.Add("a vocabulary of <unk> alone", "Set vocabulary_size to 2 or more, or to 0");
  }
}

void ReadValue(JsonObjectReader& reader, std::string_view key, TextUnit& out) {
  std::string word(Word(out));
  reader.OneOf(key, word,
               {Word(TextUnit::kCharacter), Word(TextUnit::kWord), Word(TextUnit::kByte)});
  for (const TextUnit unit : {TextUnit::kCharacter, TextUnit::kWord, TextUnit::kByte}) {
    if (word == Word(unit)) out = unit;
  }
}
Json ToJson(TextUnit unit) { return Word(unit); }
void DescribeValue(const nn::Field& field, TextUnit unit, std::vector<nn::KeyRow>& rows) {
  rows.push_back(nn::RowOf(field, nn::KeyType::kChoice, ToJson(unit)));
  rows.back().choices = "character|word|byte";
}

}  // namespace dl::job
