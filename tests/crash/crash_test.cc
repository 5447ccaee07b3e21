// Random SIGKILLs of real processes while a job runs: nothing acknowledged is lost, nothing hangs,
// the bits are right. The same where a kill also drops everything that was not synced.
// DL_CRASH_KILLS scales it: 1 in the suite, 10 in ./dev test-crash.
#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/clock.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

int Scale() {
  const char* env = std::getenv("DL_CRASH_KILLS");
  return env == nullptr ? 1 : std::atoi(env);
}

// What the master told us is durable: it must be there after any crash.
struct Acknowledged {
  int64_t committed = 0;
};

void Compare(StandingCluster& cluster, const std::string& id, Acknowledged& acknowledged) {
  const Json job = cluster.Job(id);
  const int64_t rounds = job.value("rounds", int64_t{-1});
  EXPECT_GE(rounds, acknowledged.committed) << "a committed round is lost: " << job.dump();
  acknowledged.committed = std::max(acknowledged.committed, rounds);
  EXPECT_EQ(job.value("job", ""), id);
}

class CrashTest : public testing::TestWithParam<bool> {};

TEST_P(CrashTest, KillsLoseNothingAndChangeNothing) {
  const bool drop_unsynced = GetParam();
  const int master_kills = 5 * Scale();
  const int executor_kills = 10 * Scale();
  const TempFolder folder;
  // Enough rounds that every kill falls inside training; checked below.
  const int64_t epochs = 30 + 40 * Scale();
  const std::string job_file =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kCnnKeep, .epochs = epochs}));
  const std::string expected = RunJob("local[2]", job_file).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);

  if (drop_unsynced) setenv("DL_TEST_DROP_UNSYNCED", "1", 1);
  StandingCluster cluster(folder);
  cluster.StartMaster();
  cluster.StartExecutor();
  cluster.StartExecutor();
  const std::string id = cluster.Submit(job_file);
  Acknowledged acknowledged;
  RandomStream random({.seed = drop_unsynced ? 2u : 1u, .purpose = RandomPurpose::kTest});
  size_t victim = 0;
  int masters = 0, executors = 0, inside = 0;
  while (masters < master_kills || executors < executor_kills) {
    launch::Pause(std::chrono::milliseconds(50 + random.Bounded(250)));
    const bool master = executors >= executor_kills ||
                        (masters < master_kills && random.Bounded(master_kills + executor_kills) <
                                                       static_cast<uint64_t>(master_kills));
    Compare(cluster, id, acknowledged);
    inside += acknowledged.committed < epochs * 7 ? 1 : 0;
    if (master) {
      ++masters;
      cluster.KillMaster();
      cluster.StartMaster();
      Compare(cluster, id, acknowledged);
    } else {
      ++executors;
      ASSERT_TRUE(cluster.SignalExecutor(victim++, SIGKILL).ok());
      cluster.StartExecutor();
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(inside, (master_kills + executor_kills) / 2)
      << "too many kills came after the end of training";
  const Json result = cluster.Wait(id);
  unsetenv("DL_TEST_DROP_UNSYNCED");
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
  const Finished list = DlSubmit({"list", "--master", cluster.url(), "--json"});
  EXPECT_NE(list.text.find(id), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Disks, CrashTest, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "UnsyncedIsLost" : "Plain"; });

}  // namespace
}  // namespace dl::test
