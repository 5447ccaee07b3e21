// How many connections the executor of a user has with its master, in rounds and at rest.
#include <set>

#include "gmock/gmock.h"
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

TEST_P(ConnectionsTest, AnExecutorKeepsThree) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.UseSlots(GetParam());
  ASSERT_NO_FATAL_FAILURE(cluster.StartMaster());
  ASSERT_NO_FATAL_FAILURE(cluster.StartExecutor());
  job::JobSpec spec = MakeSample(folder, {.epochs = 40});
  spec.training.workers = 8;
  const std::string id = cluster.Submit(WriteJob(folder, "job", spec));
  cluster.WaitForRound(id, 3);  // its data is here
  const auto count = [&] { return ConnectionsOf(cluster.ExecutorPid(0), cluster.port()); };
  // A machine that stands still for a moment makes one more for some seconds, a busy one again and
  // again. In between there are as many as are kept.
  std::set<int> counts;
  for (int64_t rounds = 0; rounds < 100; rounds = cluster.Job(id).value("rounds", int64_t{0}))
    counts.insert(count());
  EXPECT_THAT(counts, testing::Contains(kSteady));
  EXPECT_EQ(cluster.Wait(id).value("state", ""), "SUCCEEDED");
  const Instant patience = Clock::Real().Now() + kPatience;
  int at_rest = count();
  for (; at_rest != kSteady && Clock::Real().Now() < patience; at_rest = count())
    launch::Pause(std::chrono::milliseconds(20));
  EXPECT_EQ(at_rest, kSteady);
}

}  // namespace
}  // namespace dl::test
