// Tables of text.
#include "cli/output/table.h"

#include "gtest/gtest.h"

namespace dl::cli {
namespace {

TEST(Table, ColumnsAreAligned) {
  EXPECT_EQ(RenderTable({{"JOB", "STATE"}, {"lenet-1", "RUNNING"}, {"x", ""}}),
            "JOB      STATE\nlenet-1  RUNNING\nx\n");
}

TEST(Table, LongestLineIsCounted) {
  EXPECT_EQ(LongestLine("ab\nabcd\na"), 4);
  EXPECT_EQ(LongestLine(""), 0);
}

TEST(Table, WidthsAreCharacters) {
  EXPECT_EQ(RenderTable({{"JOB", "STATE"}, {"äöü-1", "RUNNING"}}),
            "JOB    STATE\näöü-1  RUNNING\n");
  EXPECT_EQ(LongestLine("äöü"), 3);
}

// A terminal shows a character of Chinese in two cells, and a mark on a letter in none.
TEST(Table, WideCharactersNeedTwoCells) {
  EXPECT_EQ(RenderTable({{"JOB", "STATE"}, {"東京1", "RUNNING"}, {"e\u0301e", "X"}}),
            "JOB    STATE\n東京1  RUNNING\ne\u0301e     X\n");
}

TEST(Table, LongTextIsCutInTheMiddle) {
  EXPECT_EQ(Shortened("a-long-name-of-a-job-17", 12), "a-long-n…-17");
  EXPECT_EQ(Shortened("äöüäöüäöü", 4), "äö…ü");
  EXPECT_EQ(Shortened("short", 5), "short");
  EXPECT_EQ(Shortened("long", 1), "…");
}

TEST(Table, NamesAreCutToTheScreen) {
  const std::string table =
      RenderTableWithin({{"JOB", "STATE"}, {std::string(90, 'n') + "-17", "RUNNING"}}, 30);
  EXPECT_EQ(LongestLine(table), 30) << table;
  EXPECT_NE(table.find("n-17  RUNNING\n"), std::string::npos) << table;
  const std::string cut = RenderTableWithin(
      {{"JOB", "STATE", "WHY"}, {"a-long-name-of-a-job", "RUNNING", "all_done"}}, 26);
  EXPECT_EQ(cut, "JOB           STATE    WHY\na-long-n…job  RUNNING  al…\n");
  EXPECT_EQ(RenderTableWithin({{"JOB", "STATE"}, {"a-1", "RUNNING"}}, 30),
            RenderTable({{"JOB", "STATE"}, {"a-1", "RUNNING"}}));
}

TEST(Table, LongNameHasALineOfItsOwn) {
  const std::string name(80, 'n');
  EXPECT_EQ(RenderTableWithNotes(
                {{"JOB", "STATE", "WHY"}, {"a-1", "RUNNING", ""}, {name, "QUEUED", "busy"}}),
            "JOB  STATE    WHY\na-1  RUNNING\n" + name + "\n     QUEUED   busy\n");
  EXPECT_EQ(RenderTableWithNotes({{"", "JOB", "STATE", "WHY"}, {"a", name, "QUEUED", "busy"}}, 1),
            "   JOB  STATE   WHY\na  " + name + "\n        QUEUED  busy\n");
}

}  // namespace
}  // namespace dl::cli
