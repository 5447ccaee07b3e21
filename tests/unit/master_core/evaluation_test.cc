// The data that remains of an evaluation: sums and the confusion matrix in the log, the sums in
// memory.
#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "gtest/gtest.h"
#include "master/core/job/early_stopping.h"
#include "master/core/record_keys.h"
#include "master/core/records/log_record.h"
#include "nn/metrics/agreement.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

class Evaluations : public OneUnit {
 protected:
  // Computes an evaluation unit with one example of two classes.
  void Evaluate() {
    const rpc::Lease lease = LeaseTo(1);
    ASSERT_EQ(lease.unit.kind, UnitKind::kEvaluate);
    rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 1);
    nn::MetricSums sums(2);
    sums.AddLoss(1);
    sums.AddPrediction(0, 1);
    request.metrics = sums.ToJson().dump();
    request.hash = Xxh3(request.metrics);
    core_.Do(Asked<Announcement>{999, ParseAnnouncement(request)});
  }
  const nn::MetricSums& Remembered() const { return core_.job(id_).log.evaluations.at(1).test; }
};

TEST_F(Evaluations, ConfusionMatrixIsOnlyInLog) {
  JobDefinition definition = OneWorker();
  definition.evaluated_classes = 2;
  definition.test_examples = definition.examples_per_evaluation_unit = 1;
  Begin(1, definition);
  core_.CompleteRound(id_, e_[0]);
  Evaluate();
  EXPECT_EQ(Remembered().examples(), 1);
  EXPECT_TRUE(Remembered().has_accuracy());
  EXPECT_EQ(Remembered().classes(), 0);
  const auto logged =
      LogRecordFromJson(*ParseJson(**core_.store.Get(keys::LogRecord(id_, 2)), "r"), "r");
  DL_ASSERT_OK(logged);
  EXPECT_EQ(logged->test.Confused(0, 1), 1);
  core_.Restart();
  EXPECT_EQ(Remembered().predictions(), 1);
  EXPECT_EQ(Remembered().classes(), 0);
}

// A matrix of thousands of classes from each of many units would delay all requests.
TEST_F(Evaluations, LargeConfusionMatrixIsRefused) {
  JobDefinition definition = OneWorker();
  definition.evaluated_classes = limits::kMaxAnnouncedClasses;
  definition.test_examples = definition.examples_per_evaluation_unit = 1;
  Begin(1, definition);
  core_.CompleteRound(id_, e_[0]);
  const rpc::Lease lease = LeaseTo(1);
  for (const int64_t more : {1, 0}) {
    nn::MetricSums sums(limits::kMaxAnnouncedClasses + more);
    sums.AddLoss(1);
    sums.AddPrediction(0, 1);
    rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 1);
    request.metrics = sums.ToJson().dump();
    request.hash = Xxh3(request.metrics);
    const auto reply = core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(request));
    EXPECT_EQ(reply.ok(), more == 0) << reply.status();
    EXPECT_EQ(core_.job(id_).log.evaluations.size(), more == 0 ? 1u : 0u);
  }
}

// An announcement has the numbers that the job requires. Only the log keeps them.
TEST_F(Evaluations, RequestedNumbersAreComputed) {
  JobDefinition definition = OneWorker();
  definition.evaluated_numbers = 2;
  definition.number_units = {10, 3};
  definition.early_stopping = {.enabled = true, .metric = "mae", .patience = 9};
  definition.test_examples = definition.examples_per_evaluation_unit = 1;
  Begin(1, definition);
  core_.CompleteRound(id_, e_[0]);
  const rpc::Lease lease = LeaseTo(1);
  const std::vector<float> predictions{1, 2}, targets{1.5f, 4};
  for (const int64_t outputs : {0, 1, 2}) {
    nn::MetricSums sums;
    sums.AddLoss(1);
    if (outputs > 0) {
      sums.EnableNumbers(outputs);
      sums.AddNumbers(std::span(predictions).first(outputs), std::span(targets).first(outputs));
    }
    rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 1);
    request.metrics = sums.ToJson().dump();
    request.hash = Xxh3(request.metrics);
    EXPECT_EQ(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(request)).ok(), outputs == 2)
        << outputs;
  }
  ASSERT_EQ(core_.job(id_).log.evaluations.size(), 1u);
  EXPECT_FALSE(Remembered().numbers().has_value());
  EXPECT_EQ(core_.job(id_).log.best.value, (0.5 * 10 + 2 * 3) / 2) << "in the unit of the data";
  EXPECT_EQ(JudgedValue(core_.job(id_).definition, core_.job(id_).log.evaluations.at(1)), 5.5)
      << "keep_best compares it with later values";
}

// The same for scores. The log has the confusion matrix but no scores, and the epoch's event has
// the areas.
TEST_F(Evaluations, RequestedScoresAreComputed) {
  JobDefinition definition = OneWorker();
  definition.evaluated_classes = 2;
  definition.evaluated_scores = 1;
  definition.early_stopping = {
      .enabled = true, .metric = "roc_auc", .maximize = true, .patience = 9};
  definition.test_examples = definition.examples_per_evaluation_unit = 3;
  Begin(1, definition);
  core_.CompleteRound(id_, e_[0]);
  const rpc::Lease lease = LeaseTo(1);
  for (const int64_t outputs : {0, 2, 1}) {
    nn::MetricSums sums(2);
    if (outputs > 0) sums.EnableScores(outputs);
    for (const auto& [p, label] : {std::pair{0.1f, 0}, {0.7f, 0}, {0.6f, 1}}) {
      sums.AddLoss(1);
      sums.AddPrediction(label, p > 0.5f ? 1 : 0);
      const nn::ScoredExample example{p, label == 1};
      if (outputs > 0) sums.AddScores(0, {&example, 1});
    }
    rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 3);
    request.metrics = sums.ToJson().dump();
    request.hash = Xxh3(request.metrics);
    EXPECT_EQ(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(request)).ok(), outputs == 1);
  }
  ASSERT_EQ(core_.job(id_).log.evaluations.size(), 1u);
  EXPECT_FALSE(Remembered().scores().has_value());
  EXPECT_EQ(core_.job(id_).log.best.value, 0.5);
  EXPECT_EQ(JudgedValue(core_.job(id_).definition, core_.job(id_).log.evaluations.at(1)), 0.5);
  const auto stopping = MakeResultView(core_.job(id_), 0, {}).early_stopping;
  ASSERT_TRUE(stopping.has_value());
  EXPECT_EQ(stopping->metric, "roc_auc");
  EXPECT_EQ(stopping->best, 0.5);
  EXPECT_EQ(stopping->round, 1);
  const auto logged =
      LogRecordFromJson(*ParseJson(**core_.store.Get(keys::LogRecord(id_, 2)), "r"), "r");
  DL_ASSERT_OK(logged);
  EXPECT_EQ(logged->test.Confused(0, 1), 1);
  EXPECT_FALSE(logged->test.scores().has_value());
  core_.Restart();
  EXPECT_EQ(core_.job(id_).log.evaluations.at(1).judged, 0.5);
}

TEST_F(Evaluations, UnitsAreVerified) {
  JobDefinition definition = Verified();
  definition.test_examples = definition.examples_per_evaluation_unit = 1;
  Begin(3, definition);
  const rpc::Lease train = LeaseTo(1);
  Announce(1, train, 7);
  core_.Stage(train, 7, e_[0]);
  Announce(2, LeaseTo(2), 7);
  core_.RoundIsMerged(id_, 1);
  const rpc::Lease first = LeaseTo(1);
  ASSERT_EQ(first.unit.kind, UnitKind::kEvaluate);
  Announce(1, first, 2);  // a wrong result
  EXPECT_TRUE(core_.job(id_).log.evaluations.empty());
  Announce(2, LeaseTo(2), 3);
  Announce(3, LeaseTo(3), 3);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  EXPECT_EQ(Remembered().loss(), 3);
  EXPECT_EQ(core_.job(id_).record.rollbacks, 0);
}

// Announcements that differ only in their scores are a dispute, and the area is that of the
// majority.
TEST_F(Evaluations, LoserOfDisputeAboutScoresIsNotInArea) {
  JobDefinition definition = Verified();
  definition.evaluated_classes = 2;
  definition.evaluated_scores = 1;
  definition.early_stopping = {
      .enabled = true, .metric = "roc_auc", .maximize = true, .patience = 9};
  definition.test_examples = definition.examples_per_evaluation_unit = 2;
  Begin(3, definition);
  const rpc::Lease train = LeaseTo(1);
  Announce(1, train, 7);
  core_.Stage(train, 7, e_[0]);
  Announce(2, LeaseTo(2), 7);
  core_.RoundIsMerged(id_, 1);
  const auto announce = [&](int executor, float score_of_positive) {
    const rpc::Lease lease = LeaseTo(executor);
    ASSERT_EQ(lease.unit.kind, UnitKind::kEvaluate);
    nn::MetricSums sums(2);
    sums.EnableScores(1);
    for (const int32_t label : {0, 1}) {
      sums.AddLoss(1);
      sums.AddPrediction(label, 0);
      const nn::ScoredExample example{label == 1 ? score_of_positive : 0.25f, label == 1};
      sums.AddScores(0, {&example, 1});
    }
    rpc::AnnounceRequest request =
        core_.Announcement(e_[static_cast<size_t>(executor - 1)], lease, 2);
    request.metrics = sums.ToJson().dump();
    request.hash = Xxh3(request.metrics);
    DL_EXPECT_OK(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(request)));
  };
  announce(1, 0.5f);  // a lie: the positive example is ranked above the other
  EXPECT_TRUE(core_.job(id_).log.evaluations.empty());
  announce(2, 0.125f);
  announce(3, 0.125f);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  ASSERT_EQ(core_.job(id_).log.evaluations.size(), 1u);
  EXPECT_EQ(core_.job(id_).log.best.value, 0);
}

}  // namespace
}  // namespace dl::master
