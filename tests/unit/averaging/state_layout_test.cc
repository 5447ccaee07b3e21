#include "averaging/state_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dl::averaging {
namespace {

using ::testing::ElementsAre;

SegmentTable UnitTable() {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {2});
  table.Add("mean", SegmentKind::kMean, {1});
  table.Add("variance", SegmentKind::kVariance, {1});
  table.Add("w/momentum", SegmentKind::kUpdater, {2});
  return table;
}

TEST(StateLayout, FollowsThePolicy) {
  const StateLayout average = *StateLayout::Create(UnitTable(), UpdaterStatePolicy::kAverage);
  EXPECT_EQ(average.global, UnitTable());
  EXPECT_EQ(average.merged, UnitTable());
  EXPECT_EQ(average.worker.size(), 0);
  const StateLayout reset = *StateLayout::Create(UnitTable(), UpdaterStatePolicy::kReset);
  EXPECT_EQ(reset.global, UnitTable());
  EXPECT_EQ(reset.merged.size(), 4);
  EXPECT_EQ(reset.worker.size(), 0);
  const StateLayout keep = *StateLayout::Create(UnitTable(), UpdaterStatePolicy::kKeep);
  EXPECT_EQ(keep.global.size(), 4);
  EXPECT_EQ(keep.merged, keep.global);
  EXPECT_EQ(keep.worker.segments().front().name, "w/momentum");
}

TEST(StateLayout, SplitsAndJoins) {
  const std::vector<float> unit = {1, 2, 3, 4, 5, 6};
  const StateLayout keep = *StateLayout::Create(UnitTable(), UpdaterStatePolicy::kKeep);
  const UnitParts parts = SplitUnitState(keep, unit);
  EXPECT_THAT(parts.global, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(parts.worker, ElementsAre(5, 6));
  for (UpdaterStatePolicy policy :
       {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset, UpdaterStatePolicy::kKeep}) {
    const StateLayout layout = *StateLayout::Create(UnitTable(), policy);
    std::vector<float> joined(6);
    ASSERT_TRUE(JoinUnitState(layout, SplitUnitState(layout, unit), joined).ok());
    EXPECT_EQ(joined, unit);
  }
  std::vector<float> joined(6);
  EXPECT_FALSE(JoinUnitState(keep, {.global = parts.global, .worker = {}}, joined).ok());
  EXPECT_FALSE(JoinUnitState(keep, {.global = unit, .worker = parts.worker}, joined).ok());
  EXPECT_FALSE(JoinUnitState(keep, parts, std::span(joined).first(5)).ok());
}

TEST(StateLayout, RefusesAnotherOrder) {
  SegmentTable table;
  table.Add("w/momentum", SegmentKind::kUpdater, {2});
  table.Add("w", SegmentKind::kParameter, {2});
  EXPECT_FALSE(StateLayout::Create(table, UpdaterStatePolicy::kAverage).ok());
}

TEST(StateLayout, PoliciesHaveNames) {
  for (UpdaterStatePolicy policy :
       {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset, UpdaterStatePolicy::kKeep}) {
    EXPECT_EQ(*ParseUpdaterStatePolicy(UpdaterStatePolicyName(policy)), policy);
  }
  EXPECT_FALSE(ParseUpdaterStatePolicy("Average").ok());
}

}  // namespace
}  // namespace dl::averaging
