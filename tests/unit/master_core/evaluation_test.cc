// What an evaluation leaves behind.
#include "base/checksum.h"
#include "gtest/gtest.h"
#include "master/core/keys.h"
#include "master/log_reading.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

class Evaluations : public OneUnit {
 protected:
  // One unit evaluates one example of two classes.
  static nn::MetricSums Judged(int64_t classes = 0) {
    nn::MetricSums sums(classes);
    sums.AddLoss(1);
    sums.AddPrediction(0, 1);
    return sums;
  }
  StatusOr<rpc::AnnounceReply> Evaluate(const rpc::Lease& lease, const nn::MetricSums& sums) {
    EXPECT_EQ(lease.unit.kind, UnitKind::kEvaluate);
    rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 1);
    request.metrics = sums.ToJson().dump();
    request.hash = Xxh3(request.metrics);
    return core_.Ask<rpc::AnnounceReply>(Understand(request));
  }
  const nn::MetricSums& Remembered() const { return core_.job(id_).log.evaluations.at(1).test; }
};

TEST_F(Evaluations, SumsAreInTheLogAndInMemory) {
  JobDefinition definition = OneWorker();
  definition.test_examples = definition.examples_per_evaluation_unit = 1;
  Begin(1, definition);
  core_.CompleteRound(id_, e_[0]);
  DL_ASSERT_OK(Evaluate(LeaseTo(1), Judged()));
  EXPECT_EQ(Remembered(), Judged());
  const auto logged =
      LogRecordFromJson(*ParseJson(**core_.store.Get(keys::LogRecord(id_, 2)), "r"), "r");
  DL_ASSERT_OK(logged);
  EXPECT_EQ(logged->test, Judged());
  core_.Restart();
  EXPECT_EQ(Remembered(), Judged());

  LogRecord of_an_older_build = *logged;
  of_an_older_build.test = Judged(2);
  storage::MetaBatch batch;
  batch.Put(keys::LogRecord(id_, 2), TextOf(of_an_older_build));
  DL_ASSERT_OK(core_.store.Write(batch));
  const auto log = LoadWholeLog(core_.store, id_);
  DL_ASSERT_OK(log);
  EXPECT_EQ(log->records.at(2).test, Judged());
}

// One of many classes from each of many units would hold up everybody.
TEST_F(Evaluations, AConfusionMatrixIsRefused) {
  JobDefinition definition = OneWorker();
  definition.test_examples = definition.examples_per_evaluation_unit = 1;
  Begin(1, definition);
  core_.CompleteRound(id_, e_[0]);
  const rpc::Lease lease = LeaseTo(1);
  const auto refused = Evaluate(lease, Judged(2));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument) << refused.status();
  EXPECT_TRUE(core_.job(id_).log.evaluations.empty());
  DL_ASSERT_OK(Evaluate(lease, Judged()));
  EXPECT_EQ(Remembered(), Judged());
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
