#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/job/round_totals.h"
#include "tests/support/plain_strategy.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using averaging::GridExponents;
using testing::ElementsAre;

// Two units with two segments. A result has magnitudes and the loss of its single example.
class TallyTest : public testing::Test {
 protected:
  struct Result {
    uint64_t digest = 0;
    averaging::Magnitudes magnitudes;
    double loss = 0;
  };
  Unit& Accept(int32_t index, const Result& result, UnitKind kind = UnitKind::kTrain) {
    nn::MetricSums metrics;
    metrics.AddLoss(result.loss);
    Unit& unit = units_[index];
    unit.id = {"job-1", kind, 1, index};
    unit.accepted = true;
    unit.result = {.digest = result.digest, .metrics = metrics, .magnitudes = result.magnitudes};
    return unit;
  }
  void Count(int32_t index, const Result& result, UnitKind kind = UnitKind::kTrain) {
    tally_.Count(*strategy_, Accept(index, result, kind));
  }
  void ExpectAtTheEnd(const GridExponents& grid, int64_t examples, double loss) {
    tally_.CatchUp(*strategy_, units_);
    EXPECT_EQ(tally_.grid(), grid);
    ASSERT_TRUE(tally_.metrics().ok());
    EXPECT_EQ(tally_.metrics()->examples(), examples);
    EXPECT_EQ(tally_.metrics()->loss(), loss);
  }

  std::shared_ptr<const averaging::Strategy> strategy_ = test::PlainStrategy(2);
  std::map<int32_t, Unit> units_;
  RoundTotals tally_;
};

TEST_F(TallyTest, AcceptedResultsAreAdded) {
  Count(0, {.digest = 7, .magnitudes = {0.5, 4}, .loss = 1});
  Count(1, {.digest = 8, .magnitudes = {2, 0}, .loss = 3});
  ExpectAtTheEnd({2, 3}, 2, 2.0);
}

TEST_F(TallyTest, ZeroSegmentHasNoExponent) {
  Count(0, {.digest = 7, .magnitudes = {0, 1}});
  ExpectAtTheEnd({averaging::kZeroSegment, 1}, 1, 0);
}

TEST_F(TallyTest, RepeatedResultCountsOnce) {
  Count(0, {.digest = 7, .magnitudes = {1, 1}, .loss = 5});
  units_[0].accepted = false;  // its holder has left
  Count(0, {.digest = 7, .magnitudes = {1, 1}, .loss = 5});
  ExpectAtTheEnd({1, 1}, 1, 5);
}

TEST_F(TallyTest, ReplacedResultDoesNotCount) {
  Count(0, {.digest = 7, .magnitudes = {1024, 1}, .loss = 5});
  Count(1, {.digest = 9, .magnitudes = {1, 1}, .loss = 1});
  Count(0, {.digest = 8, .magnitudes = {1, 1}, .loss = 3});
  ExpectAtTheEnd({1, 1}, 2, 2);
}

TEST_F(TallyTest, WithdrawnResultDoesNotCount) {
  Count(0, {.digest = 7, .magnitudes = {1024, 1}, .loss = 5});
  Count(1, {.digest = 9, .magnitudes = {1, 1}, .loss = 1});
  units_[0].accepted = false;
  ExpectAtTheEnd({1, 1}, 1, 1);
}

TEST_F(TallyTest, UncountedResultsAreCaughtUp) {
  Count(0, {.digest = 7, .magnitudes = {1, 1}, .loss = 5});
  Accept(1, {.digest = 9, .magnitudes = {1, 8}, .loss = 1});
  ExpectAtTheEnd({1, 4}, 2, 3);
}

TEST_F(TallyTest, EvaluationUnitsHaveNoGrid) {
  Count(0, {.digest = 7, .loss = 5}, UnitKind::kEvaluate);
  ExpectAtTheEnd({}, 1, 5);
}

TEST_F(TallyTest, InvalidMetricsAreErrorUntilReplaced) {
  const auto count = [&](int32_t index, uint64_t digest, int64_t classes) {
    nn::MetricSums metrics(classes);
    metrics.AddLoss(1);
    metrics.AddPrediction(0, 0);
    Unit& unit = Accept(index, {.digest = digest, .magnitudes = {1, 1}});
    unit.result.metrics = metrics;
    tally_.Count(*strategy_, unit);
  };
  count(0, 7, 2);
  count(1, 8, 3);
  EXPECT_FALSE(tally_.metrics().ok());
  count(1, 9, 2);
  ExpectAtTheEnd({1, 1}, 2, 1);
}

class TallyOfARound : public OneUnit {
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

TEST_F(TallyOfARound, LoserOfDisputeIsNotInGrid) {
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
