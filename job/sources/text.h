// Plain text for language models: windows of tokens, each with the token that follows it as its
// label. dataset/readers/text.h reads them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "job/sources/files.h"
#include "job/sources/words.h"

namespace dl::job {

// What a text is cut into.
enum class TextUnit : uint8_t { kCharacter, kWord, kByte };

// A character that the training set lacks is an error, or becomes the token <unk>, which the
// vocabulary has for it.
enum class UnknownCharacter : uint8_t { kError, kToken };
template <>
struct WordsOf<UnknownCharacter> {
  static constexpr std::string_view kWords[] = {"error", "token"};
};

struct TextSource {
  static constexpr std::string_view kTag = "text";

  Files path;
  TextUnit unit = TextUnit::kCharacter;
  int64_t steps = 128;          // tokens of an example
  int64_t stride = 0;           // tokens from one example's begin to the next one's; 0: `steps`
  int64_t vocabulary_size = 0;  // of words, with <unk>; 0: all that the training set has
  UnknownCharacter unknown_character = UnknownCharacter::kError;
  // Of a token to be asked for, and hidden from the model (dataset/token_masks.h); 0: each token's
  // label is the one behind it.
  double mask_probability = 0;

  // The usual share is that of Devlin et al., NAACL 2019.
  TextSource& Masked(double probability = 0.15) {
    mask_probability = probability;
    return *this;
  }
  TextSource& Words(int64_t most = 0) {
    unit = TextUnit::kWord;
    vocabulary_size = most;
    return *this;
  }
  // The vocabulary of characters has <unk>.
  TextSource& UnknownCharactersAreAToken() {
    unknown_character = UnknownCharacter::kToken;
    return *this;
  }
  TextSource& Bytes() {
    unit = TextUnit::kByte;
    return *this;
  }
  TextSource& Stride(int64_t tokens) {
    stride = tokens;
    return *this;
  }

  bool operator==(const TextSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathField, self.path);
    visit(nn::Field{.key = "unit",
                    .meaning = "What a text is cut into: Unicode characters, words between spaces "
                               "(a line's end is the word `<eos>`), or bytes"},
          self.unit);
    visit(nn::Field{.key = "steps",
                    .what = "steps",
                    .unit = "tokens",
                    .min = 1,
                    .max = limits::kMaxExtent,
                    .meaning = "Tokens of an example; the label of each is the token behind it"},
          self.steps);
    visit(nn::Field{.key = "stride",
                    .what = "stride",
                    .unit = "tokens",
                    .max = limits::kMaxExtent,
                    .meaning = "Tokens from one example's begin to the next one's; 0 = `steps`: "
                               "each token is in one example"},
          self.stride);
    visit(nn::Field{.key = "vocabulary_size",
                    .what = "vocabulary_size",
                    .unit = "words",
                    .max = limits::kMaxClasses,
                    .meaning = "The most frequent words that are kept, `<unk>` counted, which "
                               "stands for all others; 0 = all of the training set"},
          self.vocabulary_size);
    visit(nn::Field{.key = "unknown_character",
                    .meaning = "What becomes of a character that the training set lacks: `error`, "
                               "or `token`, with which a vocabulary of characters has one token "
                               "more, `<unk>`"},
          self.unknown_character);
    visit(nn::Field{.key = "mask_probability",
                    .what = "mask_probability",
                    .max = 0.999999,
                    .meaning = "Share of the tokens that are hidden and asked for, as BERT's are: "
                               "0.15 there. 0 = each token is asked for the one behind it"},
          self.mask_probability);
  }
  void Check(nn::Mistakes& mistakes) const;
};

// What nn/conf/field.h asks of a member's type.
void ReadValue(JsonObjectReader& reader, std::string_view key, TextUnit& out);
Json ToJson(TextUnit unit);  // "character", "word", "byte"
inline void CheckValue(const nn::Field&, TextUnit, nn::Mistakes&) {}
void DescribeValue(const nn::Field& field, TextUnit unit, std::vector<nn::KeyRow>& rows);

}  // namespace dl::job
