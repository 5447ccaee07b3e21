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
  ASSERT_EQ(average.parts.size(), 2u);
  EXPECT_EQ(average.model().name, "model");
  EXPECT_EQ(average.model().table.size(), 4);
  EXPECT_EQ(average.parts[1].name, "updater");
  EXPECT_EQ(average.parts[1].scope, PartScope::kGlobal);
  EXPECT_EQ(average.merged, UnitTable());
  EXPECT_EQ(average.WorkerBytes(), 0);
  const StateLayout reset = *StateLayout::Create(UnitTable(), UpdaterStatePolicy::kReset);
  ASSERT_EQ(reset.parts.size(), 1u);
  EXPECT_EQ(reset.merged, reset.model().table);
  EXPECT_EQ(reset.unit, UnitTable());
  const StateLayout keep = *StateLayout::Create(UnitTable(), UpdaterStatePolicy::kKeep);
  EXPECT_EQ(keep.merged, keep.model().table);
  ASSERT_NE(keep.Find("updater"), nullptr);
  EXPECT_EQ(keep.Find("updater")->scope, PartScope::kWorker);
  EXPECT_EQ(keep.Find("updater")->table.segments().front().name, "w/momentum");
  EXPECT_EQ(keep.WorkerBytes(), 2 * static_cast<int64_t>(sizeof(float)));
}

TEST(StateLayout, PartsLieInAUnitsVector) {
  const std::vector<float> unit = {1, 2, 3, 4, 5, 6};
  const StateLayout keep = *StateLayout::Create(UnitTable(), UpdaterStatePolicy::kKeep);
  EXPECT_THAT(keep.model().In(unit), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(keep.Find("updater")->In(unit), ElementsAre(5, 6));
  EXPECT_EQ(keep.Find("updater")->KeyOf(3), "updater-3");
  EXPECT_EQ(keep.model().KeyOf(3), "model");
}

TEST(StateLayout, CarriedStateIsPerWorker) {
  SegmentTable table = UnitTable();
  table.Add("lstm1.state", SegmentKind::kCarried, {2, 3});
  for (UpdaterStatePolicy policy :
       {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset, UpdaterStatePolicy::kKeep}) {
    const StateLayout layout = *StateLayout::Create(table, policy);
    const PartLayout* const carried = layout.Find("carried");
    ASSERT_NE(carried, nullptr);
    EXPECT_EQ(carried->scope, PartScope::kWorker);
    EXPECT_EQ(carried->offset, UnitTable().size());
    EXPECT_EQ(carried->KeyOf(1), "carried-1");
    EXPECT_EQ(layout.merged, StateLayout::Create(UnitTable(), policy)->merged);
  }
  EXPECT_EQ(StateLayout::Create(table, UpdaterStatePolicy::kKeep)->parts.size(), 3u);
}

TEST(StateLayout, WithoutUpdaterStateThereIsNoPartOfIt) {
  const SegmentTable model = StateLayout::Create(UnitTable(), UpdaterStatePolicy::kKeep)->merged;
  for (UpdaterStatePolicy policy :
       {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset, UpdaterStatePolicy::kKeep})
    EXPECT_EQ(StateLayout::Create(model, policy)->parts.size(), 1u);
}

TEST(StateLayout, RefusesAnotherOrder) {
  SegmentTable table;
  table.Add("w/momentum", SegmentKind::kUpdater, {2});
  table.Add("w", SegmentKind::kParameter, {2});
  EXPECT_FALSE(StateLayout::Create(table, UpdaterStatePolicy::kAverage).ok());
}

}  // namespace
}  // namespace dl::averaging
