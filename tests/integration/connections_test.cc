// How many connections an executor has with its master, during rounds and at rest.
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/process_figures.h"

namespace dl::test {
namespace {

constexpr int kSteady = 3;

class ConnectionsTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Slots, ConnectionsTest, testing::Values(2, 8));

TEST_P(ConnectionsTest, ExecutorKeepsThreeConnections) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.UseSlots(GetParam());
  ASSERT_NO_FATAL_FAILURE(cluster.StartMaster());
  ASSERT_NO_FATAL_FAILURE(cluster.StartExecutor());
  job::JobSpec spec = MakeSample(folder, {.epochs = 10'000});
  spec.training.workers = 8;
  const std::string id = cluster.Submit(WriteJob(folder, "job", spec));
  cluster.WaitForRound(id, 100);
  // If the machine pauses, the executor opens another connection for some seconds. On a busy
  // machine this happens repeatedly. In between it has only the connections that it keeps.
  const auto until_as_many_as_are_kept = [&] {
    const auto count = [&] { return ConnectionsOf(cluster.ExecutorPid(0), cluster.port()); };
    const Instant patience = Clock::Real().Now() + kTimeout;
    int now = count();
    for (; now != kSteady && Clock::Real().Now() < patience; now = count())
      launch::Pause(std::chrono::milliseconds(5));
    return now;
  };
  EXPECT_EQ(until_as_many_as_are_kept(), kSteady);
  EXPECT_EQ(cluster.Job(id).value("state", ""), "RUNNING");
  EXPECT_EQ(cluster.Ask("cancel", {id}).exit_code, 0);
  EXPECT_EQ(cluster.Ask("wait", {id}).result().value("state", ""), "CANCELLED");
  EXPECT_EQ(until_as_many_as_are_kept(), kSteady) << "at rest";
}

}  // namespace
}  // namespace dl::test
