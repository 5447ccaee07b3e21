// What an evaluation leaves behind: all its counts in the log, the sums in memory.
#include "base/checksum.h"
#include "base/limits.h"
#include "gtest/gtest.h"
#include "master/core/keys.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

class Evaluations : public OneUnit {
 protected:
  // One unit evaluates one example of two classes.
  void Evaluate() {
    const rpc::Lease lease = LeaseTo(1);
    ASSERT_EQ(lease.unit.kind, UnitKind::kEvaluate);
    rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 1);
    nn::MetricSums sums(2);
    sums.AddLoss(1);
    sums.AddPrediction(0, 1);
    request.metrics = sums.ToJson().dump();
    request.hash = Xxh3(request.metrics);
    core_.Do(Asked<Announcement>{999, Understand(request)});
  }
  const nn::MetricSums& Remembered() const { return core_.job(id_).log.evaluations.at(1).test; }
};

TEST_F(Evaluations, TheConfusionMatrixIsInTheLogAlone) {
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

// One of thousands of classes from each of many units would hold up everybody.
TEST_F(Evaluations, ALargeConfusionMatrixIsRefused) {
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
    const auto reply = core_.Ask<rpc::AnnounceReply>(Understand(request));
    EXPECT_EQ(reply.ok(), more == 0) << reply.status();
    EXPECT_EQ(core_.job(id_).log.evaluations.size(), more == 0 ? 1u : 0u);
  }
}

TEST_F(Evaluations, AreVerifiedAsOtherUnitsAre) {
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
  Announce(1, first, 2);  // a lie
  EXPECT_TRUE(core_.job(id_).log.evaluations.empty());
  Announce(2, LeaseTo(2), 3);
  Announce(3, LeaseTo(3), 3);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  EXPECT_EQ(Remembered().loss(), 3);
  EXPECT_EQ(core_.job(id_).record.rollbacks, 0);
}

}  // namespace
}  // namespace dl::master
