#include "averaging/average_strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace dl::averaging {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kUnitSize = 6;

AverageStrategy MakeStrategy(UpdaterStatePolicy policy) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {2});
  table.Add("mean", SegmentKind::kMean, {1});
  table.Add("variance", SegmentKind::kVariance, {1});
  table.Add("w/momentum", SegmentKind::kUpdater, {2});
  return AverageStrategy(*StateLayout::Create(table, policy));
}

const std::vector<float> kA = {1, 2, 0, 1, 8, 16};
const std::vector<float> kB = {3, -2, 0, 3, 4, 0};

Status Announce(AverageStrategy& strategy, int64_t worker, const std::vector<float>& unit) {
  return strategy.AnnounceContribution(worker, *strategy.MeasureContribution(unit)).status();
}

Status Open(AverageStrategy& strategy, std::vector<int64_t> examples) {
  return strategy.OpenRound(
      {.examples = std::move(examples), .grid = GridFor(strategy.layout().merged, {})});
}

std::vector<float> RunRound(UpdaterStatePolicy policy) {
  AverageStrategy strategy = MakeStrategy(policy);
  EXPECT_TRUE(Open(strategy, {30, 0, 10}).ok());
  EXPECT_TRUE(Announce(strategy, 0, kA).ok());
  EXPECT_TRUE(Announce(strategy, 2, kB).ok());
  EXPECT_TRUE(strategy.AccumulateContribution(2, kB).ok());
  EXPECT_TRUE(strategy.AccumulateContribution(0, kA).ok());
  std::vector<float> global(strategy.layout().global.size(), -9);
  EXPECT_TRUE(strategy.CloseRound(global).ok());
  return global;
}

TEST(AverageStrategy, TreatsUpdaterStateByPolicy) {
  EXPECT_THAT(RunRound(UpdaterStatePolicy::kAverage), ElementsAre(1.5, 1, 0, 1.5, 7, 12));
  EXPECT_THAT(RunRound(UpdaterStatePolicy::kReset), ElementsAre(1.5, 1, 0, 1.5, 0, 0));
  EXPECT_THAT(RunRound(UpdaterStatePolicy::kKeep), ElementsAre(1.5, 1, 0, 1.5));
}

TEST(AverageStrategy, CopiesTheOnlyContributionOfARound) {
  std::vector<float> only = {-0.0f, 1e-42f, -0.0f, 0.1f, -0.0f, 0.3f};
  for (UpdaterStatePolicy policy :
       {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset, UpdaterStatePolicy::kKeep}) {
    AverageStrategy strategy = MakeStrategy(policy);
    ASSERT_TRUE(Open(strategy, {0, 0, 7}).ok());
    ASSERT_TRUE(Announce(strategy, 2, only).ok());
    ASSERT_TRUE(strategy.AccumulateContribution(2, only).ok());
    std::vector<float> global(strategy.layout().global.size(), -9);
    ASSERT_TRUE(strategy.CloseRound(global).ok());
    for (int64_t i = 0; i < strategy.layout().merged.size(); ++i) {
      EXPECT_EQ(std::bit_cast<uint32_t>(global[i]), std::bit_cast<uint32_t>(only[i])) << i;
    }
    if (policy == UpdaterStatePolicy::kReset) {
      EXPECT_EQ(global[5], 0.0f);
    }
  }
}

// On arrival: each contribution is added as soon as it is announced; a raise discards segments and
// the caller repeats.
TEST(AverageStrategy, AddsAgainWhatWasRaisedAndEndsWithTheSameBits) {
  const std::vector<float> a = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f},
                           b = {77.7f, 0.2f, -0.3f, 5, 1e-9f, 3},
                           c = {0.1f, 1000.5f, 3, 0.1f, 1e-3f, -3};
  const std::vector<const std::vector<float>*> units = {&a, &b, &c};
  std::vector<std::vector<float>> results;
  int raises = 0;
  for (const std::vector<int>& order :
       std::vector<std::vector<int>>{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
    for (const bool at_once : {false, true}) {
      AverageStrategy strategy = MakeStrategy(UpdaterStatePolicy::kAverage);
      ASSERT_TRUE(Open(strategy, {3, 5, 8}).ok());
      std::vector<int> in;
      const auto add_what_is_missing = [&] {
        for (int worker : in) {
          const bool misses = strategy.IsMissing(worker);
          EXPECT_EQ(strategy.AccumulateContribution(worker, *units[worker]).ok(), misses);
        }
      };
      for (int worker : order) {
        const AnnounceOutcome outcome =
            *strategy.AnnounceContribution(worker, *strategy.MeasureContribution(*units[worker]));
        if (outcome == AnnounceOutcome::kRaised) {
          ++raises;
          std::vector<float> early(kUnitSize);
          EXPECT_EQ(strategy.CloseRound(early).code(), absl::StatusCode::kFailedPrecondition);
          if (at_once) add_what_is_missing();
        }
        ASSERT_TRUE(strategy.AccumulateContribution(worker, *units[worker]).ok());
        in.push_back(worker);
      }
      add_what_is_missing();
      ASSERT_TRUE(strategy.CloseRound(results.emplace_back(kUnitSize)).ok());
      EXPECT_EQ(results.back(), results.front());
    }
  }
  EXPECT_GT(raises, 0);
}

TEST(AverageStrategy, MergesACommittedRoundAgainFromItsGrid) {
  AverageStrategy strategy = MakeStrategy(UpdaterStatePolicy::kAverage);
  ASSERT_TRUE(Open(strategy, {3, 5}).ok());
  ASSERT_TRUE(Announce(strategy, 0, kA).ok());
  ASSERT_TRUE(Announce(strategy, 1, kB).ok());
  const GridExponents committed = strategy.grid();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(strategy.AccumulateContribution(0, kA).ok());
    ASSERT_TRUE(strategy.AccumulateContribution(1, kB).ok());
    std::vector<float> global(kUnitSize);
    ASSERT_TRUE(strategy.CloseRound(global).ok());
    EXPECT_THAT(global, ElementsAre(2.25, -0.5, 0, 2.25, 5.5, 6));
    ASSERT_TRUE(strategy.OpenRound({.examples = {3, 5}, .grid = committed}).ok());
  }
}

TEST(AverageStrategy, RefusesMisuse) {
  AverageStrategy strategy = MakeStrategy(UpdaterStatePolicy::kAverage);
  std::vector<float> global(kUnitSize);
  EXPECT_EQ(strategy.CloseRound(global).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(strategy.AccumulateContribution(0, kA).ok());
  EXPECT_FALSE(strategy.OpenRound({.examples = {1, 1}, .grid = {0}}).ok());
  EXPECT_FALSE(Open(strategy, {0, 0}).ok());
  ASSERT_TRUE(Open(strategy, {1, 0, 1}).ok());
  EXPECT_FALSE(Announce(strategy, 1, kA).ok()) << "no unit";
  EXPECT_FALSE(Announce(strategy, 3, kA).ok());
  EXPECT_FALSE(Announce(strategy, -1, kA).ok());
  EXPECT_FALSE(strategy.AnnounceContribution(0, Magnitudes{1, 2}).ok());
  ASSERT_TRUE(Announce(strategy, 0, kA).ok());
  EXPECT_TRUE(Announce(strategy, 0, kA).ok()) << "a repeated request";
  EXPECT_FALSE(Announce(strategy, 0, kB).ok());
  EXPECT_FALSE(strategy.AccumulateContribution(0, kB).ok()) << "not as announced";
  EXPECT_TRUE(strategy.AccumulateContribution(0, kA).ok());
  EXPECT_EQ(strategy.AccumulateContribution(0, kA).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(strategy.CloseRound(global).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(strategy.AccumulateContribution(2, std::span(kB).first(5)).ok());
  ASSERT_TRUE(Announce(strategy, 2, kB).ok());
}

TEST(AverageStrategy, RefusesNaNWhereverItStands) {
  for (UpdaterStatePolicy policy :
       {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset, UpdaterStatePolicy::kKeep}) {
    for (int workers : {1, 2}) {
      for (int64_t at = 0; at < kUnitSize; ++at) {
        std::vector<float> bad = kA;
        bad[at] = std::numeric_limits<float>::quiet_NaN();
        AverageStrategy strategy = MakeStrategy(policy);
        ASSERT_TRUE(Open(strategy, std::vector<int64_t>(workers, 1)).ok());
        EXPECT_FALSE(strategy.MeasureContribution(bad).ok());
        EXPECT_FALSE(strategy.AccumulateContribution(0, bad).ok());
      }
    }
  }
}

}  // namespace
}  // namespace dl::averaging
