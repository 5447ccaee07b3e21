#include "averaging/moving_average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "averaging/average.h"
#include "averaging/outer.h"
#include "tests/support/status_matchers.h"

namespace dl::averaging {
namespace {

using ::testing::ElementsAre;

StateLayout ModelWithMoments() {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {2});
  table.Add("mean", SegmentKind::kMean, {1});
  table.Add("variance", SegmentKind::kVariance, {1});
  table.Add("w/momentum", SegmentKind::kUpdater, {2});
  return *StateLayout::Create(table, UpdaterStatePolicy::kAverage);
}

MovingAverage Of(std::shared_ptr<const Strategy> strategy, double decay) {
  return MovingAverage(std::move(strategy), decay);
}

TEST(MovingAverage, IsUsedOnlyByEvaluations) {
  const MovingAverage average = Of(std::make_shared<Average>(ModelWithMoments()), 0.5);
  EXPECT_EQ(average.name(), "average");
  const StateLayout& layout = average.layout();
  EXPECT_EQ(layout.evaluated().name, "ema");
  EXPECT_EQ(layout.evaluated().scope, PartScope::kStrategy);
  EXPECT_EQ(layout.evaluated().table, layout.model().table);
  EXPECT_EQ(layout.merged.size(), 6) << "it is not merged";
  EXPECT_EQ(ModelWithMoments().evaluated().name, "model");
}

// Computed by hand, with decay 0.75. Moments are taken from the new state.
TEST(MovingAverage, FollowsTheWeightsOfRounds) {
  const MovingAverage average = Of(std::make_shared<Average>(ModelWithMoments()), 0.75);
  const std::vector<float> model = {1, 2, 7, 8}, updater = {5, 6}, ema = {4, -2, 70, 80};
  std::vector<float> next_model = {8, 2, 9, 10}, next_updater = {3, 4}, next_ema(4, -9);
  DL_ASSERT_OK(
      average.Advance({{"model", model}, {"updater", updater}, {"ema", ema}},
                      {{"model", next_model}, {"updater", next_updater}, {"ema", next_ema}}));
  EXPECT_THAT(next_model, ElementsAre(8, 2, 9, 10));
  EXPECT_THAT(next_updater, ElementsAre(3, 4));
  EXPECT_THAT(next_ema, ElementsAre(5, -1, 9, 10));
}

// Averages the weights after the outer step, and not the mean change that it receives.
TEST(MovingAverage, UsesWeightsAfterOuterStep) {
  const MovingAverage average =
      Of(std::make_shared<Outer>(ModelWithMoments(), OuterStep{.learning_rate = 1, .momentum = 0}),
         0.5);
  EXPECT_EQ(average.name(), "outer");
  const std::vector<float> model = {1, 2, 7, 8}, updater = {5, 6}, outer = {0, 0},
                           ema = {0, 0, 7, 8};
  std::vector<float> next_model = {1, -4, 9, 10}, next_updater = {3, 4}, next_outer(2), next_ema(4);
  DL_ASSERT_OK(
      average.Advance({{"model", model}, {"updater", updater}, {"outer", outer}, {"ema", ema}},
                      {{"model", next_model},
                       {"updater", next_updater},
                       {"outer", next_outer},
                       {"ema", next_ema}}));
  EXPECT_THAT(next_model, ElementsAre(2, -2, 9, 10));
  EXPECT_THAT(next_ema, ElementsAre(1, -1, 9, 10));
  std::vector<float> unit = {1.5f, 1, 9, 10, 3, 4};
  average.MakeContribution(model, unit);
  EXPECT_THAT(unit, ElementsAre(0.5f, -1, 9, 10, 3, 4));
}

TEST(MovingAverage, RefusedStepChangesNothing) {
  const MovingAverage average =
      Of(std::make_shared<Outer>(ModelWithMoments(), OuterStep{.learning_rate = 2, .momentum = 0}),
         0.5);
  const std::vector<float> model(4, 3e38f), updater(2), outer(2), ema(4);
  std::vector<float> next_model(4, 3e38f), next_updater(2), next_outer(2), next_ema(4, 1);
  EXPECT_FALSE(
      average
          .Advance({{"model", model}, {"updater", updater}, {"outer", outer}, {"ema", ema}},
                   {{"model", next_model},
                    {"updater", next_updater},
                    {"outer", next_outer},
                    {"ema", next_ema}})
          .ok());
  EXPECT_THAT(next_ema, ElementsAre(1, 1, 1, 1));
}

// Also for the largest weights, whose sum is not a float.
TEST(MovingAverage, StaysWithinWhatItIsTheMeanOf) {
  const MovingAverage average = Of(std::make_shared<Average>(ModelWithMoments()), 0.999999);
  const std::vector<float> model = {3.4e38f, -3.4e38f, 0, 1}, updater(2), ema = model;
  std::vector<float> next_model = model, next_updater(2), next_ema(4);
  DL_ASSERT_OK(
      average.Advance({{"model", model}, {"updater", updater}, {"ema", ema}},
                      {{"model", next_model}, {"updater", next_updater}, {"ema", next_ema}}));
  for (const float value : next_ema) EXPECT_TRUE(std::isfinite(value));
  EXPECT_FLOAT_EQ(next_ema[0], 3.4e38f);
}

}  // namespace
}  // namespace dl::averaging
