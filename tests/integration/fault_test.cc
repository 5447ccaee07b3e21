// Executors killed, stopped and continued, the master killed and started again in mid-epoch: the
// same bits.
#include <csignal>

#include "base/clock.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

class FaultTest : public testing::TestWithParam<SampleJob> {};

TEST_P(FaultTest, FaultsInsideTrainingAreNotInTheResult) {
  const TempFolder folder;
  constexpr int64_t kEpochs = 60;  // 7 rounds each
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = GetParam(), .epochs = kEpochs}));
  const Json reference = RunJob("local[2]", job);
  const std::string expected = reference.value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u) << reference.dump();
  const int64_t rounds = reference.value("rounds", int64_t{0});
  ASSERT_EQ(rounds, kEpochs * 7);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  for (int i = 0; i < 3; ++i) cluster.StartExecutor();
  const std::string id = cluster.Submit(job);
  cluster.WaitForRound(id, 20);

  // One executor stops for longer than a lease; the job goes on without it. What it had is missed
  // one way or the other: a lease runs out, a second one is given, or, when it stopped between
  // announcing and sending, its session ends.
  ASSERT_TRUE(cluster.SignalExecutor(0, SIGSTOP).ok());
  Json status = cluster.Job(id);
  const auto missed = [&] {
    return status.value("expired_leases", 0) > 0 || status.value("second_leases", 0) > 0 ||
           cluster.Cluster().at("executors").size() < 3;
  };
  const Instant patience = Clock::Real().Now() + std::chrono::seconds(60);
  bool was_missed = missed();
  while (!was_missed && Clock::Real().Now() < patience) {
    status = cluster.Job(id);
    was_missed = missed();
  }
  ASSERT_TRUE(was_missed) << status.dump();
  ASSERT_LT(status.value("rounds", int64_t{0}), rounds) << "the fault came too late";

  // Another one dies.
  ASSERT_TRUE(cluster.SignalExecutor(1, SIGKILL).ok());
  // The first goes on where it was: what it has is late, and welcome or not, never wrong.
  ASSERT_TRUE(cluster.SignalExecutor(0, SIGCONT).ok());
  const int64_t seen = cluster.Job(id).value("rounds", int64_t{0});
  cluster.WaitForRound(id, seen + 10);

  // The master dies in the middle of an epoch and comes back.
  status = cluster.Job(id);
  ASSERT_LT(status.value("rounds", int64_t{0}), rounds - 14) << "the kill would come too late";
  cluster.KillMaster();
  cluster.StartMaster();
  cluster.StartExecutor();
  EXPECT_GE(cluster.Cluster().value("term", 0), 2);

  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("rounds", int64_t{0}), rounds);
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

INSTANTIATE_TEST_SUITE_P(Samples, FaultTest,
                         testing::Values(SampleJob::kMlpAverage, SampleJob::kMlpReset,
                                         SampleJob::kCnnKeep),
                         [](const auto& info) {
                           switch (info.param) {
                             case SampleJob::kMlpAverage:
                               return "MlpAverage";
                             case SampleJob::kMlpReset:
                               return "MlpReset";
                             case SampleJob::kCnnKeep:
                               return "CnnKeep";
                           }
                           return "?";
                         });

// Interrupted twice, in mid-epoch, resumed on other numbers of executors: as if nothing had
// happened.
TEST(ResumeTest, AResumedRunIsTheUninterruptedOne) {
  const TempFolder folder;
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kCnnKeep, .epochs = 40}));
  const std::string expected = RunJob("local[1]", job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  cluster.StartExecutor();
  const std::string id = cluster.Submit(job);
  int64_t round = 0;
  for (int interruption = 0; interruption < 2; ++interruption) {
    const Json before = cluster.WaitForRound(id, round + 12);
    ASSERT_EQ(DlSubmit({"cancel", "--master", cluster.url(), id}).exit_code, 0);
    const Finished ended = DlSubmit({"wait", "--master", cluster.url(), "--json", id});
    EXPECT_EQ(ended.exit_code, 3) << ended.text << ended.errors;
    round = ended.result().value("rounds", int64_t{0});
    ASSERT_GT(round, 0);
    ASSERT_LT(round, 40 * 7) << "the interruption came too late";
    cluster.StartExecutor();
    const Finished resumed = DlSubmit({"resume", "--master", cluster.url(), "-d", id});
    ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  }
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("attempt", 0), 3);
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

}  // namespace
}  // namespace dl::test
