// Tests tables whose lines, values or spellings are unusual: each gives an error or a note that
// says what it is.
#include "dataset/readers/alike_texts.h"
#include "dataset/readers/label_texts.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A table with `value(row)` in the first column.
template <typename Value>
std::string With(const std::string& name, Value value) {
  return TableRows(name + ",b,y", 40,
                   [&](int i) { return absl::StrCat(value(i), ",", i % 7, ",", ClassOf(i)); });
}

TEST_F(TableGuess, LineEndsThatEndNoRowAreNamed) {
  for (const char* end : {"\xc2\x85", "\xe2\x80\xa8"}) {
    const std::string told = Guess(absl::StrCat("a,b,y", end, "1,2,A", end, "2,3,B", end));
    EXPECT_THAT(told, AllOf(HasSubstr("error: its lines end with"), HasSubstr("sed 's/")));
  }
  EXPECT_THAT(Guess(With("a", [](int i) { return i * 0.5; }) + "\x1a"),
              AllOf(HasSubstr("its last line is Ctrl-Z"), HasSubstr("tr -d '\\032'")));
}

TEST_F(TableGuess, RowsThatAreOneFieldAreNamed) {
  EXPECT_THAT(Guess("a,b,y\n\"1,2,A\"\n\"2,3,B\"\n\"3,4,A\"\n"),
              HasSubstr("error: each row is one field in quotes | Remove the quotes"));
  EXPECT_THAT(Guess("y\nA\nB\nA\n"), HasSubstr("error: each row has one field, the first one"));
}

TEST_F(TableGuess, SeparatorsInFieldsAreNamed) {
  EXPECT_THAT(Guess("t,b,y\na\\,b,1,A\nc\\,d,2,B\n"),
              HasSubstr("a backslash stands before a separator"));
  EXPECT_THAT(Guess("t,b,y\n\u201ca, b\u201d,1,A\n\u201cc, d\u201d,2,B\n"),
              HasSubstr("a field begins with a curved quote"));
}

TEST_F(TableGuess, NoteBelowTheTableIsNamed) {
  const std::string rows = With("a", [](int i) { return i * 0.5; });
  EXPECT_THAT(Guess(rows + "Source: an office\n"),
              HasSubstr("Where the row is a note below the table, remove it"));
  EXPECT_THAT(Guess(rows + "(c) an office,,\n"),
              HasSubstr("where the row is a note below the table, remove it"));
}

TEST_F(TableGuess, NumbersThatAreTimesAreDoubtful) {
  const auto told = [&](const char* name, int64_t first, int64_t step) {
    return Guess(With(name, [&](int64_t i) { return first + i * i * step; }));
  };
  EXPECT_THAT(told("t", 1700000000, 60), HasSubstr("look like seconds since 1970; --drop t"));
  EXPECT_THAT(told("t", 1700000000000, 60000), HasSubstr("look like milliseconds since 1970"));
  EXPECT_THAT(told("t", 1700000000000000000, 60000000000),
              HasSubstr("look like nanoseconds since 1970"));
  EXPECT_THAT(told("Date", 45292, 1), HasSubstr("look like days as Excel counts them"));
  EXPECT_THAT(told("price", 45292, 1), Not(HasSubstr("look like")));
  EXPECT_THAT(told("n", 1000000000, 9000000), Not(HasSubstr("look like"))) << "of other sizes";
}

TEST_F(TableGuess, VersionsThatAreOneNumberAreDoubtful) {
  EXPECT_THAT(Guess(With("v", [](int i) { return absl::StrCat("3.", i % 12); })),
              HasSubstr("\"3.1\" and \"3.10\" are one number; where they are versions or codes"));
  EXPECT_THAT(Guess(With("v", [](int i) { return i % 2 == 0 ? "1.50" : "1.25"; })),
              Not(HasSubstr("are one number")));
  EXPECT_THAT(Guess(With("v", [](int i) { return i % 2 == 0 ? "0.5" : "0.50"; })),
              Not(HasSubstr("are one number")));
}

TEST_F(TableGuess, NumbersBetweenBracketsOrOtherBlanksAreNamed) {
  EXPECT_THAT(Guess(With("e", [](int i) { return absl::StrCat("[-0.", i, " 2.", i, "]"); })),
              HasSubstr("where the texts hold numbers"));
  EXPECT_THAT(Guess(With("p", [](int i) { return absl::StrCat("POINT (13.", i, " 52)"); })),
              HasSubstr("where the texts hold numbers"));
  EXPECT_THAT(Guess(With("a", [](int i) { return absl::StrCat("\u00a0", i * 0.5, "\u00a0"); })),
              AllOf(HasSubstr("error: "), HasSubstr("characters that cannot be seen"),
                    HasSubstr("Write it as 0")));
}

TEST_F(TableGuess, SharesBesidePlainNumbersAreNamed) {
  EXPECT_THAT(
      Guess(With(
          "s", [](int i) { return i % 3 != 0 ? absl::StrCat(i, "%") : absl::StrCat(i / 100.0); })),
      AllOf(HasSubstr("are plain numbers"), HasSubstr("converted to the unit of")));
}

TEST(AlikeTexts, SpellingsAreNamed) {
  struct Case {
    const char *first, *second, *difference;
  };
  for (const Case& each :
       std::vector<Case>{{"istanbul", "\u0130stanbul", "dotted and dotless i"},
                         {"izmir", "\u0131zmir", "dotted and dotless i"},
                         {"STRASSE", "Stra\u00dfe", "ligatures such as \u00df"},
                         {"fine", "\ufb01ne", "ligatures such as \u00df"},
                         {"\u263a", "\u263a\ufe0f", "blanks"},
                         {"New York", "New_York", "dashes, underscores or blanks between words"},
                         {"New York", "new-york", "dashes, underscores or blanks between words"}}) {
    const auto found = FindAlikeTexts({each.first, each.second});
    ASSERT_EQ(found.size(), 1u) << each.first;
    EXPECT_EQ(found[0].difference, each.difference);
  }
  EXPECT_TRUE(FindAlikeTexts({"B", "B-", "AB", "A-B", "1-2", "12"}).empty());
}

TEST(AlikeTexts, UnknownClassNamesTheOneThatIsAlike) {
  Schema training{.feature_shape = {1}};
  training.SetClasses(2, {"no", "yes"});
  LabelTexts labels(&training);
  EXPECT_THAT(std::string(labels.Add("NO").status().message()),
              HasSubstr("has no class \"NO\", but \"no\", from which it differs in the case of"));
  EXPECT_THAT(std::string(labels.Add("maybe").status().message()), Not(HasSubstr("but")));
}

TEST_F(TableGuess, UnknownCategoryNamesTheOneThatIsAlike) {
  const auto train = ReadCsv(
      job::CsvSource{.path = folder_.Write("a.csv", "c,y\nred,A\nblue,B\n")}.Categorical({"c"}),
      {});
  DL_ASSERT_OK(train);
  const auto warnings = [&](const std::string& text) {
    std::vector<UnknownCategories> unknown;
    const auto test = ReadCsv(job::CsvSource{.path = folder_.Write("b.csv", text)},
                              {.training = &train->schema, .unknown = &unknown});
    EXPECT_TRUE(test.ok()) << test.status();
    return test.ok() ? test->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(warnings("c,y\nRed,A\nRed,B\ngreen,B\n"),
              testing::Contains(HasSubstr("\"c\": \"Red\" is unknown, and the training set has "
                                          "\"red\": they differ in the case of letters alone")));
  EXPECT_THAT(warnings("c,y\nred,A\npink,B\n"), Not(testing::Contains(HasSubstr("unknown"))));
}

// A table without names lacks a feature, so that its label is in the place of the last one.
TEST_F(TableGuess, MissingFeatureOfATableWithoutNamesIsNamed) {
  Guess(TableRows("", 20,
                  [](int i) {
                    return absl::StrCat(i * 0.5, ",", i % 7 * 0.25, ",", i % 2 == 0 ? "yes" : "no");
                  }),
        {.hints = {.has_header = false}});
  const Schema model = schema_;
  EXPECT_THAT(
      Guess("0.5,yes\n0.25,no\n0.75,yes\n", {.known = &model}),
      AllOf(HasSubstr("error: column 2 has the labels, as"), HasSubstr("a feature is missing")));
}

}  // namespace
}  // namespace dl::dataset
