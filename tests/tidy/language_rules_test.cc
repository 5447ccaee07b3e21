#include "tests/tidy/language_rules.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LanguageRules, CommentsOfSeveralLinesAreOneText) {
  EXPECT_THAT(SentencesOf({"a/b.cc",
                           "// Returns the first of\n// all values. Throws nothing at all.\n"
                           "int a;  // number of all values\n\n// Too short.\n"}),
              ElementsAre("Returns the first of all values.", "Throws nothing at all.",
                          "number of all values"));
}

TEST(LanguageRules, DocumentsAreReadWithoutTheirCode) {
  EXPECT_THAT(
      SentencesOf({"a.md",
                   "# Title\nThe first line\nends here now.\n\n    dl-submit run a b c d\n"
                   "- an item of a list\n| a cell of a table | x |\n```\na b c d e\n```\n"}),
      ElementsAre("The first line ends here now.", "- an item of a list", "a cell of a table"));
}

TEST(LanguageRules, SignsAreFound) {
  EXPECT_TRUE(SignsOf("Of all executors the first is used.").opening);
  EXPECT_FALSE(SignsOf("What happens if a master is killed?").opening);
  EXPECT_FALSE(SignsOf("Offers are kept for a while.").opening);
  EXPECT_TRUE(SignsOf("The lease ends and nobody renews it.").people);
  EXPECT_TRUE(SignsOf("The file is written behind the record.").behind);
  std::string text = "The";
  for (int i = 0; i < 31; ++i) text += " word";
  EXPECT_FALSE(SignsOf(text).length);
  EXPECT_TRUE(SignsOf(text + " word").length);
}

TEST(LanguageRules, CountsAreComparedInBothDirections) {
  const SourceTree tree = {{"a/b.cc", "// Of the values the first.\n// It goes behind them all.\n"},
                           {"README.md", "Nobody reads this long text."}};
  const auto counts = CountSigns(tree);
  EXPECT_EQ(counts.at("a"), (SignCounts{.openings = 1, .behind = 1}));
  EXPECT_EQ(counts.at("."), (SignCounts{.openings = 1, .people = 1}));
  EXPECT_THAT(CheckSigns(counts, counts), IsEmpty());
  EXPECT_EQ(CheckSigns(counts, {}).size(), 4u);
  EXPECT_EQ(CheckSigns({}, counts).size(), 4u);
}

TEST(LanguageRules, WideLinesAndCellsAreFound) {
  const std::string wide(150, 'x');
  EXPECT_EQ(CheckDocumentWidths({"a.md", "one " + wide + "\n"}).size(), 1u);
  EXPECT_THAT(CheckDocumentWidths({"a.md", "| one " + wide + " | two |\n"}), IsEmpty());
  EXPECT_EQ(CheckDocumentWidths({"a.md", "| one " + wide + wide + " | two |\n"}).size(), 1u);
  EXPECT_THAT(CheckDocumentWidths({"a.md", "```\none " + wide + "\n```\n"}), IsEmpty());
  EXPECT_THAT(CheckDocumentWidths({"a.cc", "// one " + wide + "\n"}), IsEmpty());
}

}  // namespace
}  // namespace dl::tidy
