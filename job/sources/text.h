// Plain text for language models. An example is a window of tokens. The label of each token is the
// next token. With mask_probability, the label of a token that is selected for prediction is the
// token itself, and other tokens have no label. dataset/readers/text/text_reader.h reads the texts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "job/job_words.h"
#include "job/sources/source_files.h"

namespace dl::job {

// Units into which a text is cut: Unicode characters, words between spaces (with the word <eos> at
// the end of each line), or bytes.
enum class TextUnit : uint8_t { kCharacter, kWord, kByte };
template <>
struct WordsOf<TextUnit> {
  static constexpr std::string_view kWords[] = {"character", "word", "byte"};
};

// Treatment of a character that the training set lacks: an error, or the token <unk>, which is
// added to the vocabulary.
enum class UnknownCharacter : uint8_t { kError, kToken };
template <>
struct WordsOf<UnknownCharacter> {
  static constexpr std::string_view kWords[] = {"error", "token"};
};

struct TextSource {
  static constexpr std::string_view kTag = "text";

  Files path;
  TextUnit unit = TextUnit::kCharacter;
  int64_t steps = 128;  // tokens of an example, 1 to limits::kMaxExtent
  // Tokens from the beginning of an example to the beginning of the next. 0: `steps`.
  int64_t stride = 0;
  // Words including <unk>, and <mask> if tokens are hidden; 0: all words of the training set.
  int64_t vocabulary_size = 0;
  UnknownCharacter unknown_character = UnknownCharacter::kError;
  // Probability that a token is selected for prediction, 0 to 0.999999. Most selected tokens are
  // hidden from the model by <mask> (dataset/token_masks.h). 0: the label of each token is the next
  // token.
  double mask_probability = 0;

  // Selects tokens for prediction with this probability, 0 to 0.999999, and hides most of them.
  // 0.15 is the value of Devlin et al., NAACL 2019. Default: 0, the model predicts the next token.
  TextSource& Masked(double probability = 0.15) {
    mask_probability = probability;
    return *this;
  }
  // Cuts the text into words. Keeps the `most` most frequent words including <unk>, and <mask> if
  // tokens are hidden; 0 keeps all words of the training set.
  TextSource& Words(int64_t most = 0) {
    unit = TextUnit::kWord;
    vocabulary_size = most;
    return *this;
  }
  // Adds the token <unk> to a vocabulary of characters. Default: an unknown character is an error.
  TextSource& UnknownCharactersAreAToken() {
    unknown_character = UnknownCharacter::kToken;
    return *this;
  }
  // Cuts the text into bytes. Default: Unicode characters.
  TextSource& Bytes() {
    unit = TextUnit::kByte;
    return *this;
  }
  // Tokens from the beginning of an example to the beginning of the next, 0 to limits::kMaxExtent.
  // Default: 0, which means `steps`.
  TextSource& Stride(int64_t tokens) {
    stride = tokens;
    return *this;
  }

  bool operator==(const TextSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathField, self.path);
    visit(nn::Field{.key = "unit",
                    .meaning = "Kind of text tokens: Unicode characters, words between spaces (the "
                               "end of a line is the word `<eos>`), or bytes"},
          self.unit);
    visit(
        nn::Field{
            .key = "steps",
            .what = "steps",
            .unit = "tokens",
            .min = 1,
            .max = limits::kMaxExtent,
            .meaning =
                "Number of text tokens of an example. The label of each token is the next token"},
        self.steps);
    visit(nn::Field{.key = "stride",
                    .what = "stride",
                    .unit = "tokens",
                    .max = limits::kMaxExtent,
                    .meaning = "Number of text tokens between the starts of two examples; 0 = "
                               "`steps`, so that each token is in one example"},
          self.stride);
    visit(nn::Field{.key = "vocabulary_size",
                    .what = "vocabulary_size",
                    .unit = "words",
                    .max = limits::kMaxClasses,
                    .meaning = "Number of words to keep, the most frequent first, including "
                               "`<unk>` for all other words; 0 = all words of the training set"},
          self.vocabulary_size);
    visit(nn::Field{.key = "unknown_character",
                    .meaning = "Treatment of characters that the training set lacks: an error, or "
                               "the additional token `<unk>`"},
          self.unknown_character);
    visit(nn::Field{.key = "mask_probability",
                    .what = "mask_probability",
                    .max = 0.999999,
                    .meaning = "Fraction of text tokens that are masked and predicted, as in BERT "
                               "(0.15 there). 0 = predict the next token"},
          self.mask_probability);
  }
  void Check(nn::Mistakes& mistakes) const;
};

}  // namespace dl::job
