// Shares of the time of executors, from answers to queries of the kind kTimeline.
#include "web/documents/executor_times.h"

#include <vector>

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

Json UnitOf(const Json& executor, double length, double computing, const char* end = "committed") {
  return {{"unit", 0},
          {"executor", executor},
          {"start_ms", 100},
          {"end_ms", 100 + length},
          {"computing_ms", computing},
          {"data_wait_ms", length / 10},
          {"state_wait_ms", 0},
          {"sending_ms", 3},
          {"end", end}};
}
Json AnswerWith(const std::vector<Json>& units, bool evaluation = false) {
  Json round = {{"round", 1}, {"units", units}};
  if (evaluation) round["evaluation"] = true;
  return {{"executors", {"node1", "node2", "node3"}}, {"rounds", Json::array({round})}};
}

TEST(ExecutorTimes, SharesAreOfTheTimeOfAllUnits) {
  const auto times =
      FindExecutorTimes({AnswerWith({UnitOf(1, 100, 80)}), AnswerWith({UnitOf(1, 300, 160)})});
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].executor, "node2");
  EXPECT_EQ(times[0].units, 2);
  EXPECT_DOUBLE_EQ(times[0].computing, 0.6);
  EXPECT_DOUBLE_EQ(times[0].data_wait, 0.1);
  EXPECT_DOUBLE_EQ(times[0].other, 0.3);
  EXPECT_EQ(times[0].median_sending_ms, 3);
  EXPECT_EQ(times[0].relative, 0);
  EXPECT_TRUE(ToJson(times)[0]["relative"].is_null());
}

TEST(ExecutorTimes, RelativeComparesWithTheMedianOfTheOthers) {
  const auto times = FindExecutorTimes(
      {AnswerWith({UnitOf(0, 10, 5), UnitOf(1, 20, 5), UnitOf(2, 60, 5), UnitOf(2, 60, 5)})});
  ASSERT_EQ(times.size(), 3u);
  EXPECT_DOUBLE_EQ(times[0].relative, 10.0 / 60);  // the upper of two medians
  EXPECT_DOUBLE_EQ(times[1].relative, 20.0 / 60);
  EXPECT_DOUBLE_EQ(times[2].relative, 60.0 / 20);
}

TEST(ExecutorTimes, EqualExecutorsHaveRelativeOne) {
  for (const ExecutorTimes& one :
       FindExecutorTimes({AnswerWith({UnitOf(0, 10, 5), UnitOf(1, 10, 5), UnitOf(2, 10, 5)})}))
    EXPECT_EQ(one.relative, 1);
}

TEST(ExecutorTimes, OnlyTrainingUnitsThatWereComputedCount) {
  EXPECT_TRUE(FindExecutorTimes({AnswerWith({UnitOf(0, 10, 5, "lost"), UnitOf(0, 10, 5, "failed"),
                                             UnitOf(0, 10, 5, "expired"),
                                             UnitOf(0, 10, 0, "overtaken"), UnitOf({}, 10, 5)}),
                                 AnswerWith({UnitOf(0, 10, 5)}, true)})
                  .empty());
  EXPECT_EQ(FindExecutorTimes({AnswerWith({UnitOf(0, 10, 5, "overtaken")})}).size(), 1u);
}

TEST(ExecutorTimes, UnitsWithoutLengthHaveNoShares) {
  const auto times = FindExecutorTimes({AnswerWith({UnitOf(0, 0, 0), UnitOf(1, 0, 0)})});
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].other, 1);
  EXPECT_EQ(times[0].relative, 0);
}

}  // namespace
}  // namespace dl::web
