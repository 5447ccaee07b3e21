#include "master/core/job/round_totals.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plain_strategy.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using averaging::GridExponents;
using testing::ElementsAre;

// Two units with two segments. A result has magnitudes and the loss of its single example.
class RoundTotalsTest : public testing::Test {
 protected:
  struct Result {
    uint64_t digest = 0;
    averaging::Magnitudes magnitudes;
    double loss = 0;
  };
  Unit& Accept(int32_t index, const Result& result, UnitKind kind = UnitKind::kTrain) {
    nn::MetricSums metrics;
    metrics.AddLoss(result.loss);
    Unit& unit = units_.try_emplace(index).first->second;
    unit.id = {"job-1", kind, 1, index};
    unit.accepted = true;
    unit.result = {.digest = result.digest, .metrics = metrics, .magnitudes = result.magnitudes};
    return unit;
  }
  void Count(int32_t index, const Result& result, UnitKind kind = UnitKind::kTrain) {
    totals_.Count(*strategy_, Accept(index, result, kind));
  }
  void ExpectAtTheEnd(const GridExponents& grid, int64_t examples, double loss) {
    EXPECT_TRUE(totals_.CatchUp(*strategy_, units_, INT64_MAX));
    EXPECT_EQ(totals_.grid(), grid);
    ASSERT_TRUE(totals_.metrics().ok());
    EXPECT_EQ(totals_.metrics()->examples(), examples);
    EXPECT_EQ(totals_.metrics()->loss(), loss);
  }

  std::shared_ptr<const averaging::Strategy> strategy_ = test::PlainStrategy(2);
  ByIndex<Unit> units_;
  RoundTotals totals_;
};

TEST_F(RoundTotalsTest, AcceptedResultsAreAdded) {
  Count(0, {.digest = 7, .magnitudes = {0.5, 4}, .loss = 1});
  Count(1, {.digest = 8, .magnitudes = {2, 0}, .loss = 3});
  ExpectAtTheEnd({2, 3}, 2, 2.0);
}

TEST_F(RoundTotalsTest, ZeroSegmentHasNoExponent) {
  Count(0, {.digest = 7, .magnitudes = {0, 1}});
  ExpectAtTheEnd({averaging::kZeroSegment, 1}, 1, 0);
}

TEST_F(RoundTotalsTest, RepeatedResultCountsOnce) {
  Count(0, {.digest = 7, .magnitudes = {1, 1}, .loss = 5});
  units_.at(0).accepted = false;  // its holder has left
  Count(0, {.digest = 7, .magnitudes = {1, 1}, .loss = 5});
  ExpectAtTheEnd({1, 1}, 1, 5);
}

TEST_F(RoundTotalsTest, ReplacedResultDoesNotCount) {
  Count(0, {.digest = 7, .magnitudes = {1024, 1}, .loss = 5});
  Count(1, {.digest = 9, .magnitudes = {1, 1}, .loss = 1});
  Count(0, {.digest = 8, .magnitudes = {1, 1}, .loss = 3});
  ExpectAtTheEnd({1, 1}, 2, 2);
}

TEST_F(RoundTotalsTest, WithdrawnResultDoesNotCount) {
  Count(0, {.digest = 7, .magnitudes = {1024, 1}, .loss = 5});
  Count(1, {.digest = 9, .magnitudes = {1, 1}, .loss = 1});
  units_.at(0).accepted = false;
  ExpectAtTheEnd({1, 1}, 1, 1);
}

TEST_F(RoundTotalsTest, UncountedResultsAreCaughtUp) {
  Count(0, {.digest = 7, .magnitudes = {1, 1}, .loss = 5});
  Accept(1, {.digest = 9, .magnitudes = {1, 8}, .loss = 1});
  ExpectAtTheEnd({1, 4}, 2, 3);
}

TEST_F(RoundTotalsTest, ReplacedResultIsAddedAgainInSteps) {
  Count(0, {.digest = 7, .magnitudes = {1024, 1}, .loss = 5});
  Count(1, {.digest = 9, .magnitudes = {1, 2}, .loss = 1});
  Count(2, {.digest = 9, .magnitudes = {1, 4}, .loss = 1});
  Accept(0, {.digest = 8, .magnitudes = {2, 1}, .loss = 4});
  EXPECT_FALSE(totals_.CatchUp(*strategy_, units_, 1)) << "one result a call";
  EXPECT_FALSE(totals_.CatchUp(*strategy_, units_, 1));
  ExpectAtTheEnd({2, 3}, 3, 2);
}

TEST_F(RoundTotalsTest, ValuesOfConfusionMatrixCount) {
  nn::MetricSums metrics(4);  // 16 entries
  for (int32_t unit = 0; unit < 2; ++unit)
    Accept(unit, {.digest = 7}, UnitKind::kEvaluate).result.metrics = metrics;
  EXPECT_FALSE(totals_.CatchUp(*strategy_, units_, 16));
  EXPECT_TRUE(totals_.CatchUp(*strategy_, units_, 16));
}

TEST_F(RoundTotalsTest, EvaluationUnitsHaveNoGrid) {
  Count(0, {.digest = 7, .loss = 5}, UnitKind::kEvaluate);
  ExpectAtTheEnd({}, 1, 5);
}

TEST_F(RoundTotalsTest, InvalidMetricsAreErrorUntilReplaced) {
  const auto count = [&](int32_t index, uint64_t digest, int64_t classes) {
    nn::MetricSums metrics(classes);
    metrics.AddLoss(1);
    metrics.AddPrediction(0, 0);
    Unit& unit = Accept(index, {.digest = digest, .magnitudes = {1, 1}});
    unit.result.metrics = metrics;
    totals_.Count(*strategy_, unit);
  };
  count(0, 7, 2);
  count(1, 8, 3);
  EXPECT_FALSE(totals_.metrics().ok());
  count(1, 9, 2);
  ExpectAtTheEnd({1, 1}, 2, 1);
}

class RoundTotalsOfRound : public OneUnit {
 protected:
  rpc::Verdict Announce(int executor, const rpc::Lease& lease, uint64_t bits, double magnitude) {
    rpc::AnnounceRequest said =
        core_.Announcement(e_[static_cast<size_t>(executor - 1)], lease, bits);
    said.magnitudes = {magnitude};
    auto reply = core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(std::move(said)));
    EXPECT_TRUE(reply.ok());
    return reply.ok() ? reply->verdict : rpc::Verdict::kUnwanted;
  }
};

// The core asks for ticks until all results are added again.
TEST_F(RoundTotalsOfRound, RoundIsMergedAfterStepsThatAddItsResultsAgain) {
  core_.options().values_per_step = 1;
  core_.Restart();
  JobDefinition definition = Verified();
  definition.plan.workers = 4;
  definition.plan.batch_size = 1;
  Begin(3, definition);
  Announce(1, LeaseTo(1), 7, 1024);
  for (const int executor : {2, 3}) {
    for (const rpc::Lease& lease : core_.LeaseUnits(e_[static_cast<size_t>(executor - 1)], 4))
      Announce(executor, lease, 8, 1);
  }
  ASSERT_TRUE(core_.core().quarantined().contains("e1"));
  for (const auto& [worker, unit] : core_.job(id_).units)
    core_.Stage({.unit = unit.id}, 8, unit.result.holder);
  EXPECT_EQ(core_.job(id_).phase, Phase::kTraining);
  int64_t ticks = 0;
  for (; core_.core().NextDeadline() <= core_.now; ++ticks) {
    ASSERT_EQ(core_.job(id_).phase, Phase::kTraining);
    core_.Do(Tick{});
  }
  EXPECT_EQ(ticks, 3) << "one result in the last event, and one in each tick";
  ASSERT_EQ(core_.EffectsOf<Merge>().size(), 1u);
  EXPECT_THAT(core_.EffectsOf<Merge>()[0].exponents, ElementsAre(1));
}

TEST_F(RoundTotalsOfRound, LoserOfDisputeIsNotInGrid) {
  Begin(3, Verified());
  Announce(1, LeaseTo(1), 7, 1024);
  Announce(2, LeaseTo(2), 8, 1);
  const rpc::Lease third = LeaseTo(3);
  EXPECT_EQ(Announce(3, third, 8, 1), rpc::Verdict::kSend);
  core_.Stage(third, 8, e_[2]);
  ASSERT_EQ(core_.EffectsOf<Merge>().size(), 1u);
  EXPECT_THAT(core_.EffectsOf<Merge>()[0].exponents, ElementsAre(1));
}

}  // namespace
}  // namespace dl::master
