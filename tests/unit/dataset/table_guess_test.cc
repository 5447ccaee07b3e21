// Tests guesses about tables: they hold for all rows, and flags change them.
#include "dataset/readers/table/table_guess.h"

#include "tests/support/status_matchers.h"
#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(TableGuess, ManyWholeNumbersAreNumbersToPredict) {
  std::string many = "a,y\n", few = "a,y\n";
  for (int i = 0; i < 400; ++i) {
    absl::StrAppend(&many, i % 7, ",", 1000 + (i * 37) % 311, "\n");
    absl::StrAppend(&few, i % 7, ",", 1000 + i % 9, "\n");
  }
  EXPECT_THAT(Guess(many), HasSubstr("311 distinct whole numbers are numbers to predict"));
  EXPECT_EQ(source_.label_type, job::LabelType::kNumber);
  EXPECT_THAT(Guess(few), HasSubstr("label: 9 classes"));
  EXPECT_THAT(Guess(many, {.hints = {.labels_are_classes = true}}), HasSubstr("311 classes"));
  EXPECT_THAT(Guess(many, {.hints = {.categories = {"y"}}}), HasSubstr("311 classes"));
  EXPECT_THAT(Guess(few, {.hints = {.labels_are_numbers = true}}),
              HasSubstr("label: numbers from 1000 to 1008"));
}

TEST_F(TableGuess, NameOfAColumnGoesBeforeAnIndex) {
  const std::string text = ",0,1,2\n0,0.5,1.25,1\n1,0.75,1.5,0\n2,1.5,0.25,1\n3,1.25,0.5,0\n";
  EXPECT_THAT(Guess(text), HasSubstr("--keep -4"));
  EXPECT_THAT(Guess(text, {.hints = {.keep = {"0"}}}),
              HasSubstr("[0] numbers left out; 0 numbers feature"));
  EXPECT_THAT(Guess(text, {.hints = {.keep = {"-4"}}}), HasSubstr("[0] numbers feature"));
  EXPECT_THAT(Guess("a,b,a,y\n7,1,4,A\n8,2,2,B\n", {.hints = {.drop = {"a"}}}),
              HasSubstr("--drop: two columns are named \"a\" | Give an index: 0 or 2"));
  EXPECT_THAT(Guess("0,b,0,y\n7,1,4,A\n8,2,2,B\n", {.hints = {.drop = {"0"}}}),
              HasSubstr("--drop: two columns are named \"0\" | Give an index: -4 or 2"));
}

TEST_F(TableGuess, FlagsChangeTheGuess) {
  const std::string text = "id,zone,y\n1,1,A\n2,2,B\n3,1,A\n4,2,B\n5,1,A\n";
  EXPECT_THAT(Guess(text), HasSubstr("id numbers left out; zone numbers feature"));
  EXPECT_THAT(Guess(text, {.hints = {.keep = {"id"}, .categories = {"zone"}}}),
              HasSubstr("id numbers feature; zone categories 2 features"));
  EXPECT_THAT(Guess(text, {.hints = {.label = "zone"}}), HasSubstr("zone classes label"));
  EXPECT_THAT(Guess(text, {.hints = {.label = "-2"}}), HasSubstr("zone classes label"));
  EXPECT_THAT(Guess(text, {.hints = {.drop = {"zone"}, .keep = {"0"}}}),
              HasSubstr("id numbers feature; zone numbers left out"));
  EXPECT_THAT(Guess(text, {.hints = {.label = "zoen"}}),
              HasSubstr("--label: there is no column \"zoen\"; did you mean \"zone\"?"));
  EXPECT_THAT(Guess(text, {.hints = {.drop = {"zone"}, .categories = {"zone"}}}),
              HasSubstr("is to be left out and to be kept"));
  EXPECT_THAT(Guess(text, {.hints = {.labels_are_classes = true, .drop = {"y"}}}),
              HasSubstr("zone classes label"));
  const std::string odd = NumberRows(200) + "unknown,2,A\n";
  EXPECT_THAT(Guess(odd, {.hints = {.missing = {"unknown"}}}),
              HasSubstr("a numbers feature, mean if missing, missing 1"));
  EXPECT_THAT(Guess("1;2;A\n2;1;B\n1;1;A\n", {.hints = {.has_header = true}}), HasSubstr("2 rows"));
  EXPECT_THAT(Guess("a~b~y\n1~2~A\n2~1~B\n", {.hints = {.separator = "~"}}),
              HasSubstr("2 rows by \"~\", names"));
  EXPECT_THAT(
      Guess("a;y\n1,234;A\n2,345;B\n3,456;A\n", {.hints = {.decimal = job::Decimal::kComma}}),
      HasSubstr("decimal commas"));
  EXPECT_EQ(features_, (std::vector<float>{1.234f, 2.345f, 3.456f}));
}

TEST_F(TableGuess, DoubtfulHeaderIsReported) {
  const std::string told = Guess("a,1.5,A\nb,2.5,B\nc,3.5,A\nb,1.75,B\nc,1.25,A\n");
  EXPECT_THAT(told, HasSubstr("no names"));
  EXPECT_THAT(told, HasSubstr("--header yes"));
  EXPECT_THAT(Guess("a,b,y\n1,2,A\n3,4,B\n5,6,A\n"), Not(HasSubstr("--header")));
}

TEST_F(TableGuess, AllFilesOfAPatternCount) {
  folder_.Write("p1.csv", NumberRows(30));
  folder_.Write("p2.csv", NumberRows(30) + "what,1,A\n");
  const Status status = GuessTable(folder_ / "p*.csv").status();
  EXPECT_THAT(Error(status), HasSubstr("\"what\" is not a number"));
  EXPECT_THAT(ErrorWhere(status), HasSubstr("p2.csv:32"));
  folder_.Write("p2.csv", "a;b;y\n1;2;A\n3;4;B\n");
  EXPECT_THAT(Error(GuessTable(folder_ / "p*.csv").status()), HasSubstr("separated by \";\""));
}

TEST_F(TableGuess, ManyDistinctValuesTakeBoundedMemory) {
  std::string text = "name,a,y\n";
  for (int i = 0; i < 60'000; ++i)
    absl::StrAppend(&text, "x", i, ",", i % 100, ",", i % 2 == 0 ? "A" : "B", "\n");
  const auto guessed = GuessTable(folder_.Write("t.csv", text), {.memory_bytes = 1 << 16});
  DL_ASSERT_OK(guessed);
  const ColumnReport& name = guessed->report.columns[0];
  EXPECT_FALSE(name.distinct_is_exact);
  EXPECT_NEAR(static_cast<double>(name.distinct), 60'000, 12'000);
  EXPECT_EQ(name.use, "left out");
  EXPECT_EQ(guessed->report.columns[1].distinct, 100);
}

}  // namespace
}  // namespace dl::dataset
