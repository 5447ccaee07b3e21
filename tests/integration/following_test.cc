// A command that follows a job reports when the master stops answering, and continues when the
// master is back.
#include "base/process.h"
#include "gtest/gtest.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

// Reads lines until one contains `words`.
void ReadUntil(ChildProcess& follower, const std::string& words) {
  for (;;) {
    auto line = follower.ReadLine(kTimeout);
    ASSERT_TRUE(line.ok()) << "no line with \"" << words << "\": " << DescribeError(line.status());
    if (line->find(words) != std::string::npos) return;
  }
}

TEST(FollowingTest, LostMasterIsReportedAndWaitedFor) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  ASSERT_NO_FATAL_FAILURE(cluster.StartMaster());
  const std::string id =
      cluster.Submit(WriteJob(folder, "job.json", MakeSample(folder, {.epochs = 1})));

  // Texts for users are written to standard error.
  auto follower = Spawner::Real().Start(
      {.argv = {"/bin/sh", "-c", "exec \"$0\" attach --master \"$1\" \"$2\" 2>&1",
                Binary("dl-submit"), cluster.url(), id},
       .out = ChildOutput::Pipe()});
  DL_ASSERT_OK(follower);
  ReadUntil(**follower, id);  // it follows; nothing is computed, because there is no executor
  cluster.KillMaster();
  ReadUntil(**follower, "the master does not answer, trying on");
  cluster.StartMaster();
  ReadUntil(**follower, "the master answers again");
  cluster.StartExecutor();
  ReadUntil(**follower, "SUCCEEDED");
  const auto ended = (*follower)->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, 0);
}

TEST(FollowingTest, WatchFollowsJobToItsEnd) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  ASSERT_NO_FATAL_FAILURE(cluster.StartMaster());
  const std::string id =
      cluster.Submit(WriteJob(folder, "job.json", MakeSample(folder, {.epochs = 1})));
  auto watcher = Spawner::Real().Start(
      {.argv = {"/bin/sh", "-c", "exec \"$0\" status --watch --json --master \"$1\" \"$2\" 2>&1",
                Binary("dl-submit"), cluster.url(), id},
       .out = ChildOutput::Pipe()});
  DL_ASSERT_OK(watcher);
  ReadUntil(**watcher, R"("state":"QUEUED")");
  cluster.KillMaster();
  ReadUntil(**watcher, "the master does not answer, trying on");
  cluster.StartMaster();
  ReadUntil(**watcher, "the master answers again");
  cluster.StartExecutor();
  ReadUntil(**watcher, R"("state":"SUCCEEDED")");
  const auto ended = (*watcher)->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, 0);
}

}  // namespace
}  // namespace dl::test
