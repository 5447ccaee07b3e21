// Figures by round as text and CSV.
#include "cli/output/series_text.h"

#include "base/json.h"
#include "cli/jobs/series_query.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

TEST(RoundRange, IsTwoNumbersOneNumberOrAnOpenEnd) {
  const auto range = ParseRoundRange("3-9");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 3);
  EXPECT_EQ(range->last, 9);
  EXPECT_EQ(ParseRoundRange("4")->last, 4);
  EXPECT_EQ(ParseRoundRange("4-")->last, 0);
  for (const char* text : {"", "-", "-3", "0-2", "5-4", "a-b", "1-2-3", "1:2"})
    EXPECT_FALSE(ParseRoundRange(text)) << text;
}

TEST(SeriesText, DrawsMeansWithBounds) {
  SeriesReply reply;
  reply.curves.push_back(
      {.name = "train/loss", .first = 5, .step = 1, .mean = {2.0, std::nullopt, 1.0}});
  EXPECT_THAT(SeriesText(reply), HasSubstr("* train/loss"));
  EXPECT_EQ(SeriesCsv(reply), "round,train/loss\n5,2.0\n6,\n7,1.0\n");
  reply.curves[0].step = 64;
  reply.curves[0].min = {1.5, std::nullopt, 0.5};
  reply.curves[0].max = {2.5, std::nullopt, 1.5};
  EXPECT_THAT(SeriesText(reply), HasSubstr("train/loss, mean of 64 rounds"));
  EXPECT_EQ(
      SeriesCsv(reply),
      "round,train/loss,train/loss:min,train/loss:max\n5,2.0,1.5,2.5\n69,,,\n133,1.0,0.5,1.5\n");
  reply.curves[0] = {.name = "test/loss", .mean = {std::nullopt}};
  EXPECT_EQ(SeriesText(reply), "test/loss has no value in these rounds\n");
}

}  // namespace
}  // namespace dl::cli
