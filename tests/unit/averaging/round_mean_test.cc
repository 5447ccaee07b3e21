#include "averaging/round_mean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "averaging/average.h"

namespace dl::averaging {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kUnitSize = 6;

Average MakeStrategy(UpdaterStatePolicy policy) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {2});
  table.Add("mean", SegmentKind::kMean, {1});
  table.Add("variance", SegmentKind::kVariance, {1});
  table.Add("w/momentum", SegmentKind::kUpdater, {2});
  return Average(*StateLayout::Create(table, policy));
}

const std::vector<float> kA = {1, 2, 0, 1, 8, 16};
const std::vector<float> kB = {3, -2, 0, 3, 4, 0};

// A strategy and a round of it.
struct Round {
  explicit Round(UpdaterStatePolicy policy) : strategy(MakeStrategy(policy)) {}

  Status Announce(int64_t worker, const std::vector<float>& unit) {
    return mean.Announce(worker, *strategy.Measure(unit)).status();
  }
  Status Open(const std::vector<int64_t>& examples) { return Open(examples, strategy.EmptyGrid()); }
  Status Open(const std::vector<int64_t>& examples, GridExponents grid) {
    DL_ASSIGN_OR_RETURN(Weights weights, strategy.WeightsOf(examples));
    return mean.Open({.weights = std::move(weights), .grid = std::move(grid)});
  }
  // Returns all global parts, concatenated.
  StatusOr<std::vector<float>> Close() {
    std::vector<float> merged(static_cast<size_t>(strategy.layout().merged.size()), -9);
    std::vector<std::span<float>> parts;
    for (const PartLayout* part : strategy.layout().PartsWith(PartScope::kGlobal))
      parts.push_back(std::span(merged).subspan(part->offset, part->table.size()));
    DL_RETURN_IF_ERROR(mean.Close(parts));
    return merged;
  }

  const Average strategy;
  RoundMean mean{strategy.layout()};
};

std::vector<float> RunRound(UpdaterStatePolicy policy) {
  Round round(policy);
  EXPECT_TRUE(round.Open({30, 0, 10}).ok());
  EXPECT_TRUE(round.Announce(0, kA).ok());
  EXPECT_TRUE(round.Announce(2, kB).ok());
  EXPECT_TRUE(round.mean.Accumulate(2, kB).ok());
  EXPECT_TRUE(round.mean.Accumulate(0, kA).ok());
  return *round.Close();
}

TEST(RoundMean, TreatsUpdaterStateByPolicy) {
  EXPECT_THAT(RunRound(UpdaterStatePolicy::kAverage), ElementsAre(1.5, 1, 0, 1.5, 7, 12));
  EXPECT_THAT(RunRound(UpdaterStatePolicy::kReset), ElementsAre(1.5, 1, 0, 1.5));
  EXPECT_THAT(RunRound(UpdaterStatePolicy::kKeep), ElementsAre(1.5, 1, 0, 1.5));
}

TEST(RoundMean, CopiesTheOnlyContributionOfARound) {
  std::vector<float> only = {-0.0f, 1e-42f, -0.0f, 0.1f, -0.0f, 0.3f};
  for (UpdaterStatePolicy policy :
       {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset, UpdaterStatePolicy::kKeep}) {
    Round round(policy);
    ASSERT_TRUE(round.Open({0, 0, 7}).ok());
    ASSERT_TRUE(round.Announce(2, only).ok());
    ASSERT_TRUE(round.mean.Accumulate(2, only).ok());
    const std::vector<float> global = *round.Close();
    for (size_t i = 0; i < global.size(); ++i) {
      EXPECT_EQ(std::bit_cast<uint32_t>(global[i]), std::bit_cast<uint32_t>(only[i])) << i;
    }
  }
}

// Two buffers for a table that end inside a segment, or are together shorter or longer than the
// table.
TEST(RoundMean, GoesIntoPartsOfWholeSegmentsOnly) {
  Round round(UpdaterStatePolicy::kAverage);
  ASSERT_TRUE(round.Open({1, 1}).ok());
  for (const int64_t worker : {0, 1}) {
    ASSERT_TRUE(round.Announce(worker, kA).ok());
    ASSERT_TRUE(round.mean.Accumulate(worker, kA).ok());
  }
  std::vector<float> out(7);
  const auto close = [&](const std::vector<size_t>& sizes) {
    std::vector<std::span<float>> parts;
    size_t at = 0;
    for (const size_t size : sizes) {
      parts.push_back(std::span(out).subspan(at, size));
      at += size;
    }
    return round.mean.Close(parts).ok();
  };
  for (const std::vector<size_t>& good :
       std::vector<std::vector<size_t>>{{6}, {2, 4}, {3, 1, 2}, {0, 4, 2}, {4, 2, 0}}) {
    std::ranges::fill(out, -1);
    EXPECT_TRUE(close(good));
    EXPECT_THAT(out, ElementsAre(1, 2, 0, 1, 8, 16, -1));
  }
  for (const std::vector<size_t>& bad :
       std::vector<std::vector<size_t>>{{1, 5}, {5, 1}, {4}, {7}, {2, 2}, {}})
    EXPECT_FALSE(close(bad));
}

// Adds each contribution as soon as it is announced. A raise discards segments, and the caller adds
// them again.
TEST(RoundMean, AddsAgainWhatWasRaisedAndEndsWithTheSameBits) {
  const std::vector<float> a = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f},
                           b = {77.7f, 0.2f, -0.3f, 5, 1e-9f, 3},
                           c = {0.1f, 1000.5f, 3, 0.1f, 1e-3f, -3};
  const std::vector<const std::vector<float>*> units = {&a, &b, &c};
  std::vector<std::vector<float>> results;
  int raises = 0;
  for (const std::vector<int>& order :
       std::vector<std::vector<int>>{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
    for (const bool at_once : {false, true}) {
      Round round(UpdaterStatePolicy::kAverage);
      ASSERT_TRUE(round.Open({3, 5, 8}).ok());
      std::vector<int> in;
      const auto add_what_is_missing = [&] {
        for (int worker : in) {
          const bool misses = round.mean.IsMissing(worker);
          EXPECT_EQ(round.mean.Accumulate(worker, *units[worker]).ok(), misses);
        }
      };
      for (int worker : order) {
        const AnnounceOutcome outcome =
            *round.mean.Announce(worker, *round.strategy.Measure(*units[worker]));
        if (outcome == AnnounceOutcome::kRaised) {
          ++raises;
          EXPECT_EQ(round.Close().status().code(), absl::StatusCode::kFailedPrecondition);
          if (at_once) add_what_is_missing();
        }
        ASSERT_TRUE(round.mean.Accumulate(worker, *units[worker]).ok());
        in.push_back(worker);
      }
      add_what_is_missing();
      results.push_back(*round.Close());
      EXPECT_EQ(results.back(), results.front());
    }
  }
  EXPECT_GT(raises, 0);
}

TEST(RoundMean, MergesACommittedRoundAgainFromItsGrid) {
  Round round(UpdaterStatePolicy::kAverage);
  ASSERT_TRUE(round.Open({3, 5}).ok());
  ASSERT_TRUE(round.Announce(0, kA).ok());
  ASSERT_TRUE(round.Announce(1, kB).ok());
  const GridExponents committed = round.mean.grid();
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(round.mean.Accumulate(0, kA).ok());
    ASSERT_TRUE(round.mean.Accumulate(1, kB).ok());
    EXPECT_THAT(*round.Close(), ElementsAre(2.25, -0.5, 0, 2.25, 5.5, 6));
    ASSERT_TRUE(round.Open({3, 5}, committed).ok());
  }
}

TEST(RoundMean, RoundThatCannotOpenLeavesPreviousRound) {
  Round round(UpdaterStatePolicy::kAverage);
  const std::vector<RoundOpening> bad = {
      {.weights = {.weight = {1, 1}, .sum = 0}, .grid = round.strategy.EmptyGrid()},
      {.weights = {.weight = {1, 1}, .sum = kMaxWeightSum + 1}, .grid = round.strategy.EmptyGrid()},
      {.weights = {.weight = {0, 0}, .sum = 1}, .grid = round.strategy.EmptyGrid()},
      {.weights = {.weight = {1, 1}, .sum = 2}, .grid = {0}}};
  for (const RoundOpening& opening : bad) {
    ASSERT_TRUE(round.Open({30, 0, 10}).ok());
    ASSERT_TRUE(round.Announce(0, kA).ok());
    EXPECT_FALSE(round.mean.Open(opening).ok());
    ASSERT_TRUE(round.Announce(2, kB).ok());
    ASSERT_TRUE(round.mean.Accumulate(0, kA).ok());
    ASSERT_TRUE(round.mean.Accumulate(2, kB).ok());
    EXPECT_THAT(*round.Close(), ElementsAre(1.5, 1, 0, 1.5, 7, 12));
  }
}

TEST(RoundMean, OnlyContributionMustNotExceedTheGrid) {
  Round round(UpdaterStatePolicy::kAverage);
  ASSERT_TRUE(round.Open({7}, round.strategy.EmptyGrid()).ok());
  EXPECT_EQ(round.mean.Accumulate(0, kA).code(), absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(round.Announce(0, kA).ok());
  EXPECT_TRUE(round.mean.Accumulate(0, kA).ok());
  EXPECT_THAT(*round.Close(), ElementsAre(1, 2, 0, 1, 8, 16));
}

TEST(RoundMean, RefusesMisuse) {
  Round round(UpdaterStatePolicy::kAverage);
  EXPECT_EQ(round.Close().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(round.mean.Accumulate(0, kA).ok());
  EXPECT_FALSE(round.Open({1, 1}, {0}).ok());
  EXPECT_FALSE(round.Open({0, 0}).ok());
  ASSERT_TRUE(round.Open({1, 0, 1}).ok());
  EXPECT_FALSE(round.Announce(1, kA).ok()) << "no unit";
  EXPECT_FALSE(round.Announce(3, kA).ok());
  EXPECT_FALSE(round.Announce(-1, kA).ok());
  EXPECT_FALSE(round.mean.Announce(0, Magnitudes{1, 2}).ok());
  ASSERT_TRUE(round.Announce(0, kA).ok());
  EXPECT_TRUE(round.Announce(0, kA).ok()) << "a repeated request";
  EXPECT_FALSE(round.Announce(0, kB).ok());
  EXPECT_FALSE(round.mean.Accumulate(0, kB).ok()) << "not as announced";
  EXPECT_TRUE(round.mean.Accumulate(0, kA).ok());
  EXPECT_EQ(round.mean.Accumulate(0, kA).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(round.Close().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(round.mean.Accumulate(2, std::span(kB).first(5)).ok());
  ASSERT_TRUE(round.Announce(2, kB).ok());
}

TEST(RoundMean, RefusesNaNWhereverItStands) {
  for (UpdaterStatePolicy policy :
       {UpdaterStatePolicy::kAverage, UpdaterStatePolicy::kReset, UpdaterStatePolicy::kKeep}) {
    for (int workers : {1, 2}) {
      for (int64_t at = 0; at < kUnitSize; ++at) {
        std::vector<float> bad = kA;
        bad[at] = std::numeric_limits<float>::quiet_NaN();
        Round round(policy);
        ASSERT_TRUE(round.Open(std::vector<int64_t>(workers, 1)).ok());
        EXPECT_FALSE(round.strategy.Measure(bad).ok());
        EXPECT_FALSE(round.mean.Accumulate(0, bad).ok());
      }
    }
  }
}

}  // namespace
}  // namespace dl::averaging
