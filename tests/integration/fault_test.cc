// Executors are killed, stopped and continued, and the master is killed and restarted in the middle
// of an epoch. The bits stay the same.
#include <algorithm>
#include <csignal>
#include <utility>

#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

constexpr int64_t kRoundsPerEpoch = 7;

int64_t Count(const Json& job, const char* key) { return job.value(key, int64_t{0}); }

// Continues the only running executor, which stops before each unit, until it stops in a round that
// neither begins nor ends an epoch. Returns the number of committed rounds. This round opened after
// the other executors stopped, so no other executor has its result, and the round stays open.
int64_t StandInMidEpoch(StandingCluster& cluster, const std::string& id, size_t executor) {
  constexpr int kMaxUnits = 500;  // some rounds, and units that were leased to others
  int64_t others_stopped_at = -1;
  for (int unit = 0; unit < kMaxUnits; ++unit) {
    cluster.WaitForStop(executor);
    if (testing::Test::HasFatalFailure()) break;
    const Json job = cluster.Job(id);
    const int64_t committed = Count(job, "rounds"), in_epoch = committed % kRoundsPerEpoch;
    if (others_stopped_at < 0) others_stopped_at = committed;
    const Json& units = job.at("units");
    const bool training = !units.empty() && std::ranges::all_of(units, [&](const Json& open) {
      return open.value("kind", "") == "train" && Count(open, "round") == committed + 1;
    });
    const bool inside = in_epoch > 0 && in_epoch < kRoundsPerEpoch - 1;
    if (training && inside && committed >= others_stopped_at + 2) return committed;
    cluster.Continue(executor);
  }
  ADD_FAILURE() << "it did not come to stand in mid-epoch: " << cluster.Job(id).dump();
  return INT64_MAX;
}

class FaultTest : public testing::TestWithParam<SampleJob> {};

// During each fault, all executors that could finish the job are stopped (SIGSTOP). A fast machine
// must not finish first.
TEST_P(FaultTest, FaultsDuringTrainingLeaveResultUnchanged) {
  const TempFolder folder;
  constexpr int64_t kEpochs = 80;
  job::JobSpec spec = MakeSample(folder, {.job = GetParam(), .epochs = kEpochs});
  spec.training.lease_seconds = 1;
  spec.training.verify_fraction = 0;  // so only late results are duplicates
  const std::string job = WriteJob(folder, "job", spec);
  const Json reference = RunReference(job);
  const std::string expected = reference.value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u) << reference.dump();
  const int64_t rounds = Count(reference, "rounds");
  ASSERT_EQ(rounds, kEpochs * kRoundsPerEpoch);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  // The first executor stops (SIGSTOP) when it is about to announce its 20th result.
  {
    const ScopedFailPoints armed("executor.announce=stop@20");
    cluster.StartExecutor();
  }
  for (int i = 1; i < 3; ++i) cluster.StartExecutor();
  for (size_t i = 0; i < 3; ++i) cluster.WaitForExecutor(i);
  const std::string id = cluster.Submit(job);

  // It is stopped for longer than its lease, and the job continues without it.
  cluster.WaitForStop(0);
  cluster.Stop(1);
  cluster.Stop(2);
  Json status =
      cluster.WaitUntil(id, [](const Json& now) { return Count(now, "expired_leases") >= 1; });
  cluster.Continue(1);
  cluster.Continue(2);
  status = cluster.WaitForRound(id, Count(status, "rounds") + 3);
  // It continues with a late result. On a slow machine, other executors may have late results, too.
  const int64_t duplicates = Count(status, "duplicate_results");
  cluster.Continue(0);
  cluster.WaitUntil(id,
                    [&](const Json& now) { return Count(now, "duplicate_results") > duplicates; });

  // The next executor to die holds a worker's data, and its updater state under `keep`.
  const std::string dying = cluster.ExecutorName(1);
  ASSERT_FALSE(dying.empty());
  const auto holds_a_worker = [&](const Json& now) {
    for (const Json& executor : now.at("placement")) {
      if (executor == dying) return true;
    }
    return false;
  };
  for (size_t i = 0; i < 3; ++i) cluster.Stop(i);
  cluster.WaitUntilNothingIsParked(0);
  cluster.WaitUntilNothingIsParked(2);
  cluster.Continue(1);
  cluster.WaitUntil(id, holds_a_worker);
  ASSERT_TRUE(cluster.SignalExecutor(1, SIGKILL).ok());
  status = cluster.WaitUntil(id, [&](const Json&) {
    return cluster.ExecutorName(1).empty();
  });  // the master has noticed its end
  EXPECT_TRUE(holds_a_worker(status)) << "it had no worker when it died";
  cluster.Continue(0);
  cluster.Continue(2);
  status = cluster.WaitForRound(id, Count(status, "rounds") + 3);
  EXPECT_FALSE(holds_a_worker(status));

  // The master dies inside a round in the middle of an epoch and is restarted.
  cluster.Stop(0);
  cluster.Stop(2);
  {
    // Only this executor computes now. It stops before its 8th unit and before each later one.
    const ScopedFailPoints armed("executor.compute=stop@8+");
    cluster.StartExecutor();
  }
  const int64_t seen = StandInMidEpoch(cluster, id, 3);
  ASSERT_LT(seen, rounds) << "the faults came too late";
  cluster.KillMaster();
  ASSERT_TRUE(cluster.SignalExecutor(3, SIGKILL).ok());
  cluster.StartMaster();
  EXPECT_GE(cluster.Cluster().value("term", 0), 2);
  // No evaluation or commit followed the rounds that were seen, and these rounds are not lost.
  const std::vector<Json> log = cluster.RoundLog(id);
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log.back().value("type", ""), "commit");
  EXPECT_EQ(Count(log.back(), "round"), seen);
  EXPECT_NE(seen % kRoundsPerEpoch, 0);
  cluster.Continue(0);
  cluster.Continue(2);
  cluster.StartExecutor();

  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(Count(result, "rounds"), rounds);
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

INSTANTIATE_TEST_SUITE_P(Samples, FaultTest,
                         testing::Values(SampleJob::kMlpAverage, SampleJob::kMlpReset,
                                         SampleJob::kCnnKeep, SampleJob::kMlpOuter,
                                         SampleJob::kCnnOuterKeep, SampleJob::kCnnEma,
                                         SampleJob::kLstm, SampleJob::kStatefulLstm),
                         [](const auto& info) { return ToString(info.param); });

// Executors start a round while the record of the previous round is being written. If the record is
// never written, a restarted master knows neither round, and both are computed again.
TEST(DurabilityTest, CrashRevertsRoundAheadOfCommit) {
  const TempFolder folder;
  constexpr int64_t kEpochs = 3;  // 7 rounds of 3 units each
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kCnnKeep, .epochs = kEpochs});
  spec.training.verify_fraction = 0;
  const std::string job = WriteJob(folder, "job", spec);
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);

  StandingCluster cluster(folder);
  {
    // The first record is that of the start, so the write of round 5 never returns.
    const ScopedFailPoints armed("master.ahead=hang@6");
    cluster.StartMaster();
  }
  {
    const ScopedFailPoints armed("executor.compute=stop@16");  // the first unit of round 6
    cluster.StartExecutor();
  }
  const std::string id = cluster.Submit(job);
  cluster.WaitForStop(0);
  cluster.KillMaster();
  cluster.StartMaster();
  EXPECT_EQ(Count(cluster.Job(id), "rounds"), 4);
  cluster.Continue(0);
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

// A run is interrupted twice in the middle of an epoch and resumed with other numbers of executors.
// The result must be the same. A stopped executor prevents the job from ending before it is
// interrupted.
TEST(ResumeTest, ResumedRunEqualsUninterruptedRun) {
  const TempFolder folder;
  constexpr int64_t kEpochs = 40;  // 7 rounds of 3 units each
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kCnnKeep, .epochs = kEpochs}));
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  const std::string id = cluster.Submit(job);
  int64_t round = 0;
  for (size_t interruption = 0; interruption < 2; ++interruption) {
    {
      const ScopedFailPoints armed("executor.compute=stop@35");
      cluster.StartExecutor();
    }
    cluster.WaitForStop(interruption);
    if (interruption > 0) cluster.Stop(0);
    ASSERT_EQ(DlSubmit({"cancel", "--master", cluster.url(), id}).exit_code, 0);
    const Finished ended = DlSubmit({"wait", "--master", cluster.url(), "--json", id});
    EXPECT_EQ(ended.exit_code, 3) << ended.text << ended.errors;
    const int64_t before = std::exchange(round, ended.result().value("rounds", int64_t{0}));
    EXPECT_GT(round, before);
    ASSERT_LT(round, kEpochs * 7) << "the interruption came too late";
    EXPECT_TRUE(interruption > 0 || round % 7 != 0) << "not in mid-epoch: " << round;
    for (size_t i = 0; i <= interruption; ++i) cluster.Continue(i);
    const Finished resumed = DlSubmit({"resume", "--master", cluster.url(), "-d", id});
    ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  }
  cluster.StartExecutor();
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("attempt", 0), 3);
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

}  // namespace
}  // namespace dl::test
