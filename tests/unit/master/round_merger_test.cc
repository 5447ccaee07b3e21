// Merging on arrival gives the same bits as merging at the end, also if the grid is raised, or if
// contributions are withdrawn or late.
#include "master/merge/round_merger.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "averaging/average.h"
#include "averaging/partial_sum.h"
#include "base/philox.h"
#include "tests/support/merge_contributions.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

constexpr int32_t kWorkers = 4;

// A mean in a single part.
std::vector<std::span<float>> Into(std::vector<float>& merged) { return {std::span(merged)}; }

class RoundMergerTest : public testing::Test {
 protected:
  RoundMergerTest() {
    SegmentTable table;
    table.Add("w", SegmentKind::kParameter, {40, 5});
    table.Add("b", SegmentKind::kParameter, {7});
    strategy_ = std::make_shared<averaging::Average>(
        *averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kAverage));
    vectors_.resize(kWorkers);
  }

  // Sets the results of the workers of a round. `size` determines the grid.
  void Compute(uint64_t round, float size) {
    for (int32_t worker = 0; worker < kWorkers; ++worker) {
      RandomStream stream({.seed = 1,
                           .purpose = RandomPurpose::kForTests,
                           .a = round,
                           .b = static_cast<uint64_t>(worker)});
      vectors_[worker].resize(layout().unit.size());
      for (float& value : vectors_[worker])
        value = size * static_cast<float>(stream.NextDouble() - 0.5);
      vectors_[worker][0] = size * 0.9f;  // equal maximum in each segment
      vectors_[worker][200] = size * 0.9f;
    }
  }
  RoundMerger::Contribution Of(int32_t worker, uint64_t hash = 0) {
    return {.worker = worker,
            .hash = hash != 0 ? hash : 100 + static_cast<uint64_t>(worker),
            .vector = *CopyVector(vectors_[worker]),
            .magnitudes = *averaging::MeasureMagnitudes(layout().merged, vectors_[worker])};
  }
  // Finishes with all four contributions, and compares with the merge of a complete round.
  void FinishAndCompare(int64_t round) {
    std::vector<RoundMerger::Contribution> all;
    std::vector<test::WeightedVector> weighted;
    std::vector<averaging::Magnitudes> magnitudes;
    for (int32_t worker = 0; worker < kWorkers; ++worker) {
      all.push_back(Of(worker));
      weighted.push_back({vectors_[worker], weights_[worker]});
      magnitudes.push_back(all.back().magnitudes);
    }
    std::vector<float> merged(layout().merged.size()), expected(layout().merged.size());
    DL_ASSERT_OK(
        merger_->Finish(round, averaging::GridFor(layout().merged, magnitudes), all, Into(merged)));
    DL_ASSERT_OK(test::MergeContributions(layout().merged, weighted, expected));
    EXPECT_EQ(merged, expected);
  }

  const averaging::StateLayout& layout() const { return strategy_->layout(); }

  std::shared_ptr<const averaging::Strategy> strategy_;
  const std::vector<int64_t> weights_ = {32, 32, 32, 17};
  std::vector<std::vector<float>> vectors_;
  std::unique_ptr<RoundMerger> merger_;
};

class Merging : public RoundMergerTest {
 protected:
  void SetUp() override {
    merger_ = std::make_unique<RoundMerger>(strategy_);
    Compute(2, 1.1f);
    merger_->Open(2, weights_);
  }
};

TEST_F(Merging, OrderOfArrivalLeavesBitsUnchanged) {
  for (const int32_t worker : {2, 0, 3}) merger_->Add(2, Of(worker));
  merger_->Add(2, Of(2));  // repeated
  FinishAndCompare(2);
  EXPECT_EQ(merger_->added_on_arrival(), 3);
}

TEST_F(Merging, RaisedExponentGivesSameBits) {
  merger_->Add(2, Of(0));
  merger_->Add(2, Of(3));
  vectors_[1][3] = 50.0f;
  merger_->Add(2, Of(1));
  vectors_[2][201] = 500.0f;  // in the other segment
  merger_->Add(2, Of(2));
  FinishAndCompare(2);
  EXPECT_EQ(merger_->added_on_arrival(), 4);
}

TEST_F(Merging, ExponentRaisedByLateContributionGivesSameBits) {
  for (const int32_t worker : {2, 0, 3}) merger_->Add(2, Of(worker));
  vectors_[1][3] = 50.0f;
  vectors_[1][201] = 500.0f;
  FinishAndCompare(2);
  EXPECT_EQ(merger_->added_on_arrival(), 3);
}

TEST_F(Merging, SegmentsThatBecomeNonzeroGiveSameBits) {
  for (int32_t worker = 0; worker < 3; ++worker)
    std::fill(vectors_[worker].begin() + 200, vectors_[worker].end(), -0.0f);
  for (int32_t worker = 0; worker < kWorkers; ++worker) merger_->Add(2, Of(worker));
  FinishAndCompare(2);
  EXPECT_EQ(merger_->added_on_arrival(), 4);
}

// The withdrawn contribution had the largest magnitude, so the grid is lower than during adding.
TEST_F(Merging, WithdrawnMaximumGivesSameBits) {
  const std::vector<float> right = vectors_[1];
  vectors_[1][3] = 50.0f;
  merger_->Add(2, Of(1, /*hash=*/666));
  vectors_[1] = right;
  for (const int32_t worker : {0, 2, 3}) merger_->Add(2, Of(worker));
  FinishAndCompare(2);
  EXPECT_EQ(merger_->added_on_arrival(), 0);
}

TEST_F(Merging, CoarserGridGivesExpectedBits) {
  std::vector<RoundMerger::Contribution> all;
  std::vector<float> merged(layout().merged.size()), again(layout().merged.size());
  for (int32_t worker = 0; worker < kWorkers; ++worker) {
    all.push_back(Of(worker));
    merger_->Add(2, all.back());
  }
  const averaging::GridExponents grid = {9, 9};
  DL_ASSERT_OK(merger_->Finish(2, grid, all, Into(merged)));
  EXPECT_EQ(merger_->grid(), grid);
  EXPECT_EQ(merger_->added_on_arrival(), 0);
  DL_ASSERT_OK(merger_->Finish(2, grid, all, Into(again)))
      << "a dispute may come while it is merged";
  EXPECT_EQ(merged, again);
}

// Vectors are released when the round is finished.
TEST_F(Merging, ReleasesVectorsAfterRound) {
  const RoundMerger::Contribution first = Of(0);
  merger_->Add(2, first);
  EXPECT_GT(first.vector.use_count(), 1);
  FinishAndCompare(2);
  EXPECT_EQ(first.vector.use_count(), 1);
  merger_->Open(3, weights_);
  merger_->Add(3, first);
  merger_->Open(3, weights_);
  EXPECT_EQ(first.vector.use_count(), 1);
}

TEST_F(Merging, WithdrawnContributionIsNotMerged) {
  merger_->Add(2, Of(0));
  const std::vector<float> right = vectors_[1];
  std::ranges::fill(vectors_[1], 0.25f);
  merger_->Add(2, Of(1, /*hash=*/666));  // a result that later loses a dispute
  vectors_[1] = right;
  merger_->Add(2, Of(1));
  FinishAndCompare(2);
  EXPECT_EQ(merger_->added_on_arrival(), 0);
}

TEST_F(Merging, ContributionOfOtherRoundIsNotMerged) {
  merger_->Add(1, Of(0));
  merger_->Add(3, Of(0));
  FinishAndCompare(2);
  EXPECT_EQ(merger_->added_on_arrival(), 0);
}

TEST_F(Merging, ContinuesAfterAbandonedRound) {
  merger_->Add(2, Of(0));
  Compute(3, 0.9f);
  merger_->Open(2, weights_);  // the same round again, for example after a restart
  for (const int32_t worker : {3, 2, 1, 0}) merger_->Add(2, Of(worker));
  FinishAndCompare(2);
  EXPECT_EQ(merger_->added_on_arrival(), 4);
}

class Gathering : public Merging {
 protected:
  void SetUp() override {
    Merging::SetUp();
    std::vector<test::WeightedVector> weighted;
    std::vector<averaging::Magnitudes> magnitudes;
    for (int32_t worker = 0; worker < kWorkers; ++worker) {
      all_.push_back(Of(worker));
      weighted.push_back({vectors_[worker], weights_[worker]});
      magnitudes.push_back(all_.back().magnitudes);
    }
    grid_ = averaging::GridFor(layout().merged, magnitudes);
    expected_.resize(layout().merged.size());
    DL_ASSERT_OK(test::MergeContributions(layout().merged, weighted, expected_));
    DL_ASSERT_OK(merger_->OpenGather(2, grid_));
  }
  // Returns the sum of these workers in its transmitted form.
  std::vector<std::byte> SumOf(const std::vector<int32_t>& workers) {
    const averaging::Weights weights = *averaging::NormalizeWeights(weights_);
    auto sum = averaging::PartialSum::Create(layout(), grid_, weights.sum);
    EXPECT_TRUE(sum.ok());
    for (const int32_t worker : workers) {
      DL_EXPECT_OK(sum->Add(vectors_[worker], weights.weight[worker], all_[worker].magnitudes));
    }
    std::vector<std::byte> bytes;
    for (const auto piece : sum->pieces()) bytes.insert(bytes.end(), piece.begin(), piece.end());
    return bytes;
  }
  Status AddSum(const std::vector<int32_t>& workers) {
    std::vector<RoundMerger::Contribution> of;
    for (const int32_t worker : workers) of.push_back(all_[worker]);
    return merger_->AddGathered(of, SumOf(workers));
  }
  std::vector<float> Finish() {
    std::vector<float> merged(layout().merged.size());
    DL_EXPECT_OK(merger_->FinishGathered(all_, Into(merged)));
    return merged;
  }

  std::vector<RoundMerger::Contribution> all_;
  averaging::GridExponents grid_;
  std::vector<float> expected_;
};

TEST_F(Gathering, SingleContributionsGiveSameBits) {
  for (const int32_t worker : {3, 1, 0, 2}) DL_ASSERT_OK(merger_->AddGathered(all_[worker]));
  EXPECT_EQ(Finish(), expected_);
}

TEST_F(Gathering, SumsOfAnyGroupsGiveSameBits) {
  DL_ASSERT_OK(AddSum({1, 3}));
  DL_ASSERT_OK(merger_->AddGathered(all_[2]));
  DL_ASSERT_OK(AddSum({0}));
  EXPECT_EQ(Finish(), expected_);
  EXPECT_EQ(Finish(), expected_) << "a dispute may come while it is merged";
}

TEST_F(Gathering, ReopenedRoundRestarts) {
  DL_ASSERT_OK(AddSum({1, 3}));
  DL_ASSERT_OK(merger_->OpenGather(2, grid_));
  DL_ASSERT_OK(AddSum({0, 1, 2, 3}));
  EXPECT_EQ(Finish(), expected_);
}

TEST_F(Gathering, EachContributionCountsOnce) {
  DL_ASSERT_OK(AddSum({1, 3}));
  EXPECT_FALSE(merger_->AddGathered(all_[3]).ok());
  EXPECT_FALSE(AddSum({0, 1}).ok());
  EXPECT_FALSE(AddSum({0, 0}).ok());
  std::vector<float> merged(layout().merged.size());
  EXPECT_FALSE(merger_->FinishGathered(all_, Into(merged)).ok());
  DL_ASSERT_OK(AddSum({0, 2}));
  EXPECT_EQ(Finish(), expected_);
}

TEST_F(Gathering, NextRoundIsMergedOnArrival) {
  DL_ASSERT_OK(AddSum({0, 1, 2, 3}));
  (void)Finish();
  Compute(3, 1.0f);
  merger_->Open(3, weights_);
  for (const int32_t worker : {0, 1, 2, 3}) merger_->Add(3, Of(worker));
  FinishAndCompare(3);
}

TEST_F(Merging, ClosedRoundIsAnError) {
  std::vector<float> merged(layout().merged.size());
  EXPECT_FALSE(merger_->Finish(7, {}, {}, Into(merged)).ok());
}

}  // namespace
}  // namespace dl::master
