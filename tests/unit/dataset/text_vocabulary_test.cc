// Tests the conversion of text to tokens and back with the vocabulary of a training split.
#include "dataset/readers/text/text_vocabulary.h"

#include "dataset/readers/text/text_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {
namespace {

using test::IsError;
using ::testing::ElementsAre;

// Returns the vocabulary of a training split with this text.
std::vector<std::string> VocabularyOf(const std::string& text, job::TextUnit unit,
                                      double mask_probability = 0) {
  const test::TempFolder folder;
  const auto table = ReadText({.path = folder.Write("t.txt", text),
                               .unit = unit,
                               .steps = 2,
                               .mask_probability = mask_probability},
                              {});
  DL_EXPECT_OK(table);
  return table->schema.class_names();
}

StatusOr<std::vector<int32_t>> Tokens(const std::string& text,
                                      const std::vector<std::string>& vocabulary) {
  const job::TextUnit unit = *UnitOfVocabulary(vocabulary);
  TextTokens read(unit);
  DL_RETURN_IF_ERROR(read.ReadText(text, "prompt"));
  return IndicesIn(vocabulary, read);
}

std::string Written(const std::vector<int32_t>& tokens,
                    const std::vector<std::string>& vocabulary) {
  std::string text;
  for (const int32_t token : tokens)
    text += TokenText(vocabulary[token], *UnitOfVocabulary(vocabulary), text);
  return text;
}

TEST(TextVocabulary, UnitFollowsFromTokens) {
  for (const auto unit : {job::TextUnit::kCharacter, job::TextUnit::kWord, job::TextUnit::kByte}) {
    for (const double masked : {0.0, 0.5}) {
      EXPECT_EQ(UnitOfVocabulary(VocabularyOf("a bé\n<unk> b a\n", unit, masked)), unit)
          << job::ToJson(unit) << masked;
    }
  }
  EXPECT_EQ(UnitOfVocabulary({}), std::nullopt);
  EXPECT_EQ(UnitOfVocabulary({"cat", "dog"}), std::nullopt);
  EXPECT_EQ(UnitOfVocabulary({"a", "\xff"}), std::nullopt);
}

TEST(TextVocabulary, TextRoundTrips) {
  const std::string text = "a bé c\nd a\n\nb";
  for (const auto unit : {job::TextUnit::kCharacter, job::TextUnit::kWord, job::TextUnit::kByte}) {
    const std::vector<std::string> vocabulary = VocabularyOf(text, unit);
    const auto tokens = Tokens(text, vocabulary);
    DL_ASSERT_OK(tokens);
    EXPECT_EQ(Written(*tokens, vocabulary), text) << job::ToJson(unit);
  }
}

TEST(TextVocabulary, UnknownTokenIsReplacedOrReported) {
  const auto words = Tokens("b nowhere\n", VocabularyOf("a b\na\n", job::TextUnit::kWord));
  DL_ASSERT_OK(words);
  // The vocabulary is <unk>, then the words by frequency: <eos> and a twice each, b once.
  EXPECT_THAT(*words, ElementsAre(3, 0, 1));
  const auto characters = Tokens("ab\nax", VocabularyOf("ab\nba", job::TextUnit::kCharacter));
  EXPECT_THAT(characters, IsError(absl::StatusCode::kInvalidArgument, "does not contain \"x\""));
  EXPECT_EQ(ErrorWhere(characters.status()), "prompt:2:2");
}

}  // namespace
}  // namespace dl::dataset
