#include "averaging/outer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/status_matchers.h"

namespace dl::averaging {
namespace {

using ::testing::ElementsAre;

StateLayout Layout(UpdaterStatePolicy policy = UpdaterStatePolicy::kAverage) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {2});
  table.Add("mean", SegmentKind::kMean, {1});
  table.Add("variance", SegmentKind::kVariance, {1});
  table.Add("w/momentum", SegmentKind::kUpdater, {2});
  return *StateLayout::Create(table, policy);
}

// A state, or the mean of the changes.
struct State {
  std::vector<float> model, updater, outer;

  PartViews views() const { return {{"model", model}, {"updater", updater}, {"outer", outer}}; }
  PartBuffers buffers() { return {{"model", model}, {"updater", updater}, {"outer", outer}}; }
};

const State kBase = {{1, 2, 7, 8}, {5, 6}, {0.5f, -1}};
const State kMean = {{0.25f, -0.5f, 9, 10}, {3, 4}, {-9, -9}};

TEST(Outer, HasMomentumPerParameter) {
  const Outer outer(Layout(), {});
  const PartLayout* part = outer.layout().Find("outer");
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->scope, PartScope::kStrategy);
  ASSERT_EQ(part->table.segments().size(), 1u);
  EXPECT_EQ(part->table.segments().front().name, "w/outer_momentum");
  EXPECT_EQ(outer.layout().merged.size(), 6) << "it is not merged";
}

TEST(Outer, UnitReturnsChangeOfParameters) {
  const Outer outer(Layout(), {});
  std::vector<float> unit = {1.5f, 1, 9, 10, 3, 4};
  outer.MakeContribution(kBase.model, unit);
  EXPECT_THAT(unit, ElementsAre(0.5f, -1, 9, 10, 3, 4));
}

// Computed by hand: v = 0.5 v + d; w += 0.5 (d + 0.5 v).
TEST(Outer, NesterovsStep) {
  const Outer outer(Layout(), {.learning_rate = 0.5, .momentum = 0.5, .nesterov = true});
  State next = kMean;
  DL_ASSERT_OK(outer.Advance(kBase.views(), next.buffers()));
  EXPECT_THAT(next.outer, ElementsAre(0.5f, -1));
  EXPECT_THAT(next.model, ElementsAre(1.25f, 1.5f, 9, 10));
  EXPECT_THAT(next.updater, ElementsAre(3, 4));
}

// Computed by hand: v = 0.5 v + d; w += 0.5 v.
TEST(Outer, PolyaksStep) {
  const Outer outer(Layout(), {.learning_rate = 0.5, .momentum = 0.5, .nesterov = false});
  State next = kMean;
  DL_ASSERT_OK(outer.Advance(kBase.views(), next.buffers()));
  EXPECT_THAT(next.outer, ElementsAre(0.5f, -1));
  EXPECT_THAT(next.model, ElementsAre(1.25f, 1.5f, 9, 10));
  const Outer larger(Layout(), {.learning_rate = 1, .momentum = 0.75, .nesterov = false});
  next = kMean;
  DL_ASSERT_OK(larger.Advance(kBase.views(), next.buffers()));
  EXPECT_THAT(next.outer, ElementsAre(0.625f, -1.25f));
  EXPECT_THAT(next.model, ElementsAre(1.625f, 0.75f, 9, 10));
}

TEST(Outer, WithoutMomentumAtRateOneTheMeanIsTaken) {
  const Outer outer(Layout(), {.learning_rate = 1, .momentum = 0});
  State next = kMean;
  DL_ASSERT_OK(outer.Advance(kBase.views(), next.buffers()));
  EXPECT_THAT(next.model, ElementsAre(1.25f, 1.5f, 9, 10));
}

TEST(Outer, SubnormalsCount) {
  const Outer outer(Layout(), {.learning_rate = 1, .momentum = 0.5, .nesterov = false});
  const float small = std::numeric_limits<float>::denorm_min();
  State base = kBase, next = kMean;
  base.model[0] = 2 * small;
  base.outer[0] = 2 * small;
  next.model[0] = small;
  DL_ASSERT_OK(outer.Advance(base.views(), next.buffers()));
  EXPECT_EQ(next.outer[0], 2 * small);
  EXPECT_EQ(next.model[0], 4 * small);
}

TEST(Outer, OverflowOfFloatIsAnError) {
  const Outer outer(Layout(), {.learning_rate = 1e6, .momentum = 0.5});
  State next = kMean;
  next.model[1] = 1e38f;
  EXPECT_THAT(outer.Advance(kBase.views(), next.buffers()),
              test::IsError(absl::StatusCode::kInvalidArgument, "parameter 1"));
}

TEST(Outer, LeavesUpdaterStateToItsPolicy) {
  EXPECT_EQ(Outer(Layout(UpdaterStatePolicy::kReset), {}).layout().Find("updater"), nullptr);
  EXPECT_EQ(Outer(Layout(UpdaterStatePolicy::kKeep), {}).layout().Find("updater")->scope,
            PartScope::kWorker);
}

}  // namespace
}  // namespace dl::averaging
