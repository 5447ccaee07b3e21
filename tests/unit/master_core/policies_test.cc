// Early stopping and retention of checkpoints.
#include <cmath>

#include "gtest/gtest.h"
#include "master/core/job/early_stopping.h"
#include "master/core/job/job.h"
#include "master/core/job/plateau.h"

namespace dl::master {
namespace {

BestSoFar JudgeAll(const EarlyStoppingPolicy& policy, const std::vector<double>& values) {
  BestSoFar best;
  int64_t round = 0;
  for (double value : values) best = Judge(policy, best, ++round, value);
  return best;
}

TEST(EarlyStopping, MinimizesLoss) {
  const EarlyStoppingPolicy policy{.enabled = true, .patience = 2};
  EXPECT_EQ(JudgeAll(policy, {3, 2, 1}), (BestSoFar{1, 3, 0}));
  const BestSoFar stuck = JudgeAll(policy, {3, 1, 2, 1});
  EXPECT_EQ(stuck, (BestSoFar{1, 2, 2}));  // an equal value is no improvement
  EXPECT_TRUE(ShouldStop(policy, stuck));
  EXPECT_FALSE(ShouldStop(policy, JudgeAll(policy, {3, 1, 2})));
}

TEST(EarlyStopping, MaximizesAccuracy) {
  const EarlyStoppingPolicy policy{
      .enabled = true, .metric = "accuracy", .maximize = true, .patience = 1};
  EXPECT_EQ(JudgeAll(policy, {0.1, 0.5}), (BestSoFar{0.5, 2, 0}));
  EXPECT_TRUE(ShouldStop(policy, JudgeAll(policy, {0.5, 0.4})));
}

TEST(EarlyStopping, ImprovementMustExceedMinDelta) {
  const EarlyStoppingPolicy policy{.enabled = true, .patience = 9, .min_delta = 0.5};
  EXPECT_EQ(JudgeAll(policy, {3, 2.5}), (BestSoFar{3, 1, 1}));
  EXPECT_EQ(JudgeAll(policy, {3, 2.25}), (BestSoFar{2.25, 2, 0}));
}

TEST(EarlyStopping, NanIsNoImprovement) {
  const EarlyStoppingPolicy policy{.enabled = true, .patience = 9};
  EXPECT_EQ(JudgeAll(policy, {NAN, 5, NAN}), (BestSoFar{5, 2, 1}));
  EXPECT_EQ(JudgeAll(policy, {NAN}).round, -1);
}

TEST(EarlyStopping, DisabledNeverStops) {
  const EarlyStoppingPolicy policy{.enabled = false, .patience = 1};
  EXPECT_FALSE(ShouldStop(policy, JudgeAll(policy, {1, 2, 3})));
}

Plateaus FollowAll(const PlateauPolicy& policy, const EarlyStoppingPolicy& judged,
                   const std::vector<double>& values) {
  Plateaus plateaus;
  int64_t round = 0;
  for (double value : values) plateaus = Follow(policy, judged, plateaus, ++round, value);
  return plateaus;
}

TEST(Plateau, PatienceCountsEvaluationsWithoutImprovement) {
  const PlateauPolicy policy{.enabled = true, .patience = 2};
  EXPECT_EQ(FollowAll(policy, {}, {3, 2, 2}).count, 0);
  EXPECT_EQ(FollowAll(policy, {}, {3, 2, 2, 2}).count, 1);
  EXPECT_EQ(FollowAll(policy, {}, {3, 2, 2, 1, 1}).count, 0) << "a gain begins anew";
  // The next plateau counts from there, with the same best value.
  EXPECT_EQ(FollowAll(policy, {}, {3, 2, 2, 2, 2}), (Plateaus{{2, 2, 1}, 1}));
  EXPECT_EQ(FollowAll(policy, {}, {3, 2, 4, 4, 3, 3}).count, 2);
  EXPECT_EQ(FollowAll({}, {}, {3, 3, 3, 3, 3, 3}), Plateaus());
}

// Uses the metric and direction of early stopping, but its own min_delta.
TEST(Plateau, UsesEarlyStoppingMetric) {
  const EarlyStoppingPolicy judged{
      .enabled = true, .metric = "accuracy", .maximize = true, .min_delta = 0.5};
  const PlateauPolicy policy{.enabled = true, .patience = 1, .min_delta = 0.01};
  EXPECT_EQ(FollowAll(policy, judged, {0.1, 0.2, 0.3}).count, 0);
  EXPECT_EQ(FollowAll(policy, judged, {0.1, 0.105, 0.2}).count, 1);
  EXPECT_EQ(FollowAll(policy, judged, {0.3, 0.2, 0.1}).count, 2);
  EXPECT_EQ(FollowAll(policy, judged, {NAN, NAN}).count, 2);
}

class Retention : public testing::Test {
 protected:
  Retention() {
    job_.definition.checkpoint = {.keep_last = 2, .keep_best = 1};
    for (int64_t round = 1; round <= 6; ++round) job_.checkpoints[round] = {.round = round};
  }
  void Evaluate(int64_t round, double loss) {
    LogRecord record{.type = RecordType::kEvaluation, .round = round};
    record.test.AddLoss(loss);
    job_.log.evaluations[round] = record;
  }
  Job job_;
};

TEST_F(Retention, KeepsLastCheckpoints) {
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST_F(Retention, KeepsBestAndPinnedCheckpoints) {
  Evaluate(1, 2);
  Evaluate(3, 1);
  job_.checkpoints[2].pinned = true;
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 4}));
  job_.definition.early_stopping = {.metric = "loss", .maximize = true};
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{3, 4}));
}

TEST_F(Retention, OlderOfEqualCheckpointsIsBest) {
  Evaluate(2, 1);
  Evaluate(4, 1);
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 3, 4}));
}

// A later evaluation is better by less than min_delta. The best by early stopping's rule is kept,
// because users see it.
TEST_F(Retention, BestOfEarlyStoppingIsKeptFirst) {
  Evaluate(2, 1.0);
  Evaluate(4, 0.999);
  job_.log.best = {.value = 1.0, .round = 2, .epochs_without_gain = 1};
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 3, 4}));
  job_.definition.checkpoint.keep_best = 2;
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 3}));
}

// The sums of such a metric are not kept.
TEST_F(Retention, KeepsSeveralBestByAnyMetric) {
  job_.definition.checkpoint = {.keep_last = 1, .keep_best = 3};
  job_.definition.early_stopping = {.metric = "roc_auc", .maximize = true};
  const std::vector<double> areas = {0.7, 0.9, 0.5, 0.8, 0.6};
  for (size_t i = 0; i < areas.size(); ++i) {
    const auto round = static_cast<int64_t>(i + 1);
    Evaluate(round, 1);
    job_.log.evaluations.at(round).judged = areas[i];
  }
  job_.log.best = {.value = 0.9, .round = 2};
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{3, 5}));
}

TEST_F(Retention, NeverDeletesNewestCheckpoint) {
  job_.definition.checkpoint = {.keep_last = 0, .keep_best = 0};
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 2, 3, 4, 5}));
}

// A quarantine rolls the job back to before a horizon. The oldest checkpoint from the smallest
// horizon on stays too, because it becomes that checkpoint when the horizon moves.
TEST_F(Retention, KeepsNewestCheckpointBeforeSmallestHorizon) {
  job_.definition.verify_fraction = 0.01;
  job_.attestations.unverified_since = {{"e1", 3}, {"e2", 4}};
  job_.definition.checkpoint.keep_last = 1;
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 4, 5}));
  job_.checkpoints[2].unusable = true;
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{2, 4, 5}));
  job_.attestations.unverified_since = {{"e1", 6}};
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 2, 3, 4}));
  job_.attestations.unverified_since = {};
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 2, 3, 4, 5}));
}

TEST_F(Retention, HorizonKeepsNothingWithoutRollbacks) {
  job_.definition.checkpoint.keep_last = 1;
  job_.attestations.unverified_since = {{"e1", 3}};
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 2, 3, 4, 5}));
  job_.definition.verify_fraction = 0.01;
  job_.record.state = JobState::kSucceeded;
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 2, 3, 4, 5}));
}

TEST_F(Retention, UnreadableCheckpointDoesNotCount) {
  job_.checkpoints[6].unusable = true;
  EXPECT_EQ(CheckpointsToDelete(job_), (std::vector<int64_t>{1, 2, 3, 6}));
}

}  // namespace
}  // namespace dl::master
