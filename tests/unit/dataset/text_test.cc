#include "absl/strings/str_cat.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/text/text_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::Gzip;
using test::IsError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TextTest : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& text, job::TextSource source,
                              const ReadOptions& options = {}) {
    source.path = folder_.Write("t.txt", text);
    return ReadText(source, options);
  }
  void ExpectBad(const std::string& text, const std::string& place, const std::string& message,
                 const job::TextSource& source, const Schema* training = nullptr) {
    const Status status = Read(text, source, {.training = training}).status();
    EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, message)) << text;
    EXPECT_EQ(ErrorWhere(status), folder_ / "t.txt" + place) << text;
    EXPECT_NE(ErrorRemedy(status), "") << text;
  }
  test::TempFolder folder_;
};

TEST_F(TextTest, WindowsOfCharactersAreLabelledByWhatFollows) {
  const auto table = Read("abcabca", {.steps = 3});
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.feature_shape, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(table->schema.labels_per_example(), 3);
  EXPECT_EQ(table->schema.feature_type(), FeatureType::kU8);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(table->examples, 2);
  EXPECT_EQ(table->u8, (std::vector<uint8_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(table->classes, (std::vector<int32_t>{1, 2, 0, 1, 2, 0}));
}

TEST_F(TextTest, TextOfAnotherEncodingIsCalledThat) {
  ExpectBad(std::string("\xff\xfe"
                        "a\0b\0c\0",
                        8),
            "", "the file is text in UTF-16", {.steps = 1});
  ExpectBad(std::string("a\0\0\0b\0\0\0c\0\0\0", 12), "", "the file is text in UTF-32",
            {.steps = 1});
  EXPECT_TRUE(Read(std::string("a\0b\0c\0d\0e\0f\0g\0h\0", 16),
                   job::TextSource{.unit = job::TextUnit::kByte, .steps = 3})
                  .ok());
}

TEST_F(TextTest, BytesZeroAreCounted) {
  const std::string text("ab\0ab\0ab\n", 9);
  const auto warned = Read(text, {.steps = 2});
  DL_ASSERT_OK(warned);
  EXPECT_THAT(warned->warnings, ElementsAre(testing::HasSubstr("2 of 9 tokens hold a byte 0")));
  const auto bytes = Read(text, {.unit = job::TextUnit::kByte, .steps = 2});
  DL_ASSERT_OK(bytes);
  EXPECT_THAT(bytes->warnings, IsEmpty());
}

TEST_F(TextTest, WindowsMayOverlap) {
  const auto table = Read("abcd", job::TextSource{.steps = 2}.Stride(1));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->u8, (std::vector<uint8_t>{0, 1, 1, 2}));
  EXPECT_EQ(table->classes, (std::vector<int32_t>{1, 2, 2, 3}));
}

// A window needs the token after its last one: of 6 tokens one window of 3 fits, of 7 tokens two.
TEST_F(TextTest, TokensAfterLastWindowAreDropped) {
  EXPECT_EQ(Read("abcabc", {.steps = 3})->examples, 1);
  EXPECT_EQ(Read("abcabca", {.steps = 3})->examples, 2);
  EXPECT_EQ(Read("abca", {.steps = 3})->examples, 1);
  ExpectBad("abc", "", "the text has 3 tokens, but an example of 3 steps needs 4", {.steps = 3});
  ExpectBad("", "", "the text has 0 tokens", {.steps = 1});
}

TEST_F(TextTest, CharactersAreThoseOfUnicode) {
  const auto table = Read("aé€😀a\n", {.steps = 5});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("\n", "a", "é", "€", "😀"));
  EXPECT_EQ(table->u8, (std::vector<uint8_t>{1, 2, 3, 4, 1}));
  EXPECT_EQ(table->classes.back(), 0);
}

TEST_F(TextTest, WordsByTheirFrequencyWithLineEnds) {
  const auto table =
      Read("the cat\tsaw  the dog\r\nthe end\n", job::TextSource{.steps = 4}.Words());
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(),
              ElementsAre("<unk>", "the", "<eos>", "cat", "dog", "end", "saw"));
  EXPECT_EQ(table->u8, (std::vector<uint8_t>{1, 3, 6, 1, 4, 2, 1, 5}));
  EXPECT_EQ(table->classes, (std::vector<int32_t>{3, 6, 1, 4, 2, 1, 5, 2}));
}

// Old editors of Macintosh wrote CR alone.
TEST_F(TextTest, LinesMayEndInCr) {
  const auto words = job::TextSource{.steps = 2}.Words();
  const auto table = Read("the cat\rthe dog\rthe end\r", words);
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.class_names(),
            Read("the cat\nthe dog\nthe end\n", words)->schema.class_names());
  EXPECT_EQ(table->classes, Read("the cat\nthe dog\nthe end\n", words)->classes);
}

TEST_F(TextTest, TextForProgramsIsReported) {
  const auto warnings = [&](const std::string& text) { return Read(text, {.steps = 2})->warnings; };
  EXPECT_THAT(warnings("{\"text\": \"hello\"}\n{\"text\": \"you\"}\n"),
              ElementsAre(HasSubstr("t.txt is JSON, and its markup is read as text")));
  EXPECT_THAT(warnings("{\\rtf1\\ansi hello}"), ElementsAre(HasSubstr("is an RTF document")));
  EXPECT_THAT(warnings("<html><p>hello</p></html>"), ElementsAre(HasSubstr("a page of HTML")));
  EXPECT_THAT(warnings("hello {you} <me>"), IsEmpty());
  EXPECT_TRUE(Read("{\"text\": 1}", job::TextSource{.steps = 2}.Bytes())->warnings.empty());
}

TEST_F(TextTest, FolderOfTextsIsToldAPattern) {
  const Status status = ReadText(data::Text(folder_.path(), 2), {}).status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "is a folder"));
  EXPECT_THAT(ErrorRemedy(status), HasSubstr("/*"));
}

TEST_F(TextTest, RareWordsAreUnknown) {
  const auto table = Read("a a b b c <unk> d\n", job::TextSource{.steps = 7}.Words(3));
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("<unk>", "a", "b"));
  EXPECT_EQ(table->u8, (std::vector<uint8_t>{1, 1, 2, 2, 0, 0, 0}));
  EXPECT_EQ(table->classes.back(), 0);
}

TEST_F(TextTest, BytesHaveAllTheirValues) {
  const auto table = Read(std::string("\0\xff\x41", 3), job::TextSource{.steps = 2}.Bytes());
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.classes(), 256);
  EXPECT_EQ(table->schema.class_names()[0x41], "41");
  EXPECT_EQ(table->u8, (std::vector<uint8_t>{0, 255}));
  EXPECT_EQ(table->classes, (std::vector<int32_t>{255, 0x41}));
}

TEST_F(TextTest, TestSetUsesVocabularyOfTrainingSet) {
  const job::TextSource words = job::TextSource{.steps = 2}.Words();
  const auto training = Read("x y z\n", words);
  DL_ASSERT_OK(training);
  const auto test = Read("z q y", words, {.training = &training->schema});
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->schema, training->schema);
  EXPECT_EQ(test->u8, (std::vector<uint8_t>{4, 0}));
  EXPECT_EQ(test->classes, (std::vector<int32_t>{0, 3}));

  const auto characters = Read("abc", {.steps = 2});
  DL_ASSERT_OK(characters);
  ExpectBad("ab\nad", ":1:3", "the text of the training split does not contain \"\\n\"",
            {.steps = 2}, &characters->schema);
  ExpectBad("abc", "", "examples of 1x1, the training split has examples of 2x1", {.steps = 1},
            &characters->schema);
}

// The words of a text are unknown to a vocabulary of characters, and would all become <unk>.
TEST_F(TextTest, OtherUnitThanThatOfTheTrainingSplitIsAnError) {
  const std::string text = "ab ba\nab ba\n";
  const std::vector<std::pair<std::string, job::TextSource>> units = {
      {"character", job::TextSource{.steps = 2}.UnknownCharactersAreAToken()},
      {"word", job::TextSource{.steps = 2}.Words()},
      {"byte", job::TextSource{.steps = 2}.Bytes()}};
  for (const auto& [trained, training] : units) {
    const auto table = Read(text, training);
    DL_ASSERT_OK(table);
    for (const auto& [read, source] : units) {
      if (read == trained) {
        DL_EXPECT_OK(Read(text, source, {.training = &table->schema}));
        continue;
      }
      ExpectBad(text, "", "but the text of the training split has \"" + trained + "\"", source,
                &table->schema);
    }
  }
}

TEST_F(TextTest, UnknownCharacterHasOwnToken) {
  const job::TextSource source = job::TextSource{.steps = 2}.UnknownCharactersAreAToken();
  const auto training = Read("abcab", source);
  DL_ASSERT_OK(training);
  EXPECT_THAT(training->schema.class_names(), ElementsAre("a", "b", "c", "<unk>"));
  const auto test = Read("azbb€", source, {.training = &training->schema});
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->u8, (std::vector<uint8_t>{0, 3, 1, 1}));
  EXPECT_EQ(test->classes, (std::vector<int32_t>{3, 1, 1, 3}));
  EXPECT_THAT(test->warnings, ElementsAre(testing::HasSubstr("2 of 5 tokens are not in the "
                                                             "vocabulary")));
}

TEST_F(TextTest, ByteOrderMarkIsIgnored) {
  const auto table = Read(
      "\xef\xbb\xbf"
      "abca",
      {.steps = 3});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("a", "b", "c"));
  const auto words = Read("\xef\xbb\xbfthe the cat\n", job::TextSource{.steps = 3}.Words());
  DL_ASSERT_OK(words);
  EXPECT_THAT(words->schema.class_names(), ElementsAre("<unk>", "the", "<eos>", "cat"));
  const auto bytes = Read(
      "\xef\xbb\xbf"
      "ab",
      job::TextSource{.steps = 4}.Bytes());
  DL_ASSERT_OK(bytes);
  EXPECT_EQ(bytes->u8.front(), 0xef);
}

TEST_F(TextTest, ManyWordsAreStoredAsFloats) {
  std::string text;
  for (int i = 0; i < 300; ++i) absl::StrAppend(&text, "w", i, " ");
  const auto table = Read(text, job::TextSource{.steps = 299}.Words());
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.feature_type(), FeatureType::kF32);
  EXPECT_EQ(table->schema.classes(), 301);
  EXPECT_EQ(table->classes.size(), 299u);
}

TEST_F(TextTest, SeveralFilesAreOneText) {
  job::TextSource source{.steps = 5};
  source.path = {folder_.Write("1.txt", "abc"), folder_.Write("2.txt.gz", Gzip("bca"))};
  const auto table = ReadText(source);
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->u8, (std::vector<uint8_t>{0, 1, 2, 1, 2}));
}

// The pieces in which a file is read have no effect: a line may be longer than a piece, and a
// character may lie across two pieces.
TEST_F(TextTest, PiecesOfAFileCutNothing) {
  std::string text((1 << 20) - 1, 'x');
  absl::StrAppend(&text, "é", std::string(1 << 20, 'y'), "\nz");
  const auto table = Read(text, {.steps = static_cast<int64_t>((2 << 20) + 1)});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("\n", "x", "y", "z", "é"));
  EXPECT_EQ(table->u8[(1 << 20) - 1], 4);
  EXPECT_EQ(table->u8[1 << 20], 2);
}

TEST_F(TextTest, HostileTextsAreErrors) {
  ExpectBad("ab\ncd\xff", ":2:3", "here stands no UTF-8 character", {.steps = 2});
  ExpectBad("ab\xc3", ":1:3", "here stands no UTF-8 character", {.steps = 2});
  ExpectBad("\xed\xa0\x80", ":1:1", "here stands no UTF-8 character", {.steps = 2});
  ExpectBad("a " + std::string(5000, 'b'), ":1:3", "a word of 5000 bytes",
            job::TextSource{.steps = 1}.Words());
}

TEST_F(TextTest, RowsBeyondTheMemoryGoToAFile) {
  const auto whole = Read(std::string(5000, 'a') + "b", {.steps = 10});
  const auto spilled = Read(std::string(5000, 'a') + "b", {.steps = 10},
                            {.memory = {.bytes = 100, .folder = folder_ / ""}});
  DL_ASSERT_OK(whole);
  DL_ASSERT_OK(spilled);
  EXPECT_NE(spilled->spilled, nullptr);
  EXPECT_EQ(*ContentFingerprint(*spilled), *ContentFingerprint(*whole));
}

}  // namespace
}  // namespace dl::dataset
