// Two executors: the memory of the first is too small for any unit of a job, the memory of the
// second suffices.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/process_figures.h"

namespace dl::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SmallExecutor, LargeExecutorComputesAllUnits) {
  const TempFolder folder;
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kCnnKeep, .epochs = 4}));
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  cluster.UseExecutorFlags({"--memory", "1M"});
  cluster.StartExecutor();
  while (cluster.ExecutorName(0).empty()) ASSERT_FALSE(cluster.MasterHasEnded());
  const std::string small = cluster.ExecutorName(0);

  const Finished submitted = DlSubmit({"submit", "--master", cluster.url(), "-d", job});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.errors;
  EXPECT_THAT(submitted.errors,
              HasSubstr("no registered executor has enough memory for a unit of it"));
  const std::string first = submitted.text.substr(0, submitted.text.find('\n'));
  ASSERT_EQ(cluster.Ask("cancel", {first}).exit_code, 0);
  const Finished second = cluster.Ask("submit", {"-d", job});
  ASSERT_EQ(second.exit_code, 0) << second.errors;
  const std::string id = second.result().value("job", "");
  EXPECT_EQ(second.result().value("executor_count", -1), 0);
  EXPECT_EQ(second.result().value("excluded_for_memory_count", -1), 1);

  const Json waiting = cluster.Job(id);
  EXPECT_EQ(waiting.value("state", ""), "QUEUED");
  EXPECT_EQ(waiting.value("reason", ""), "waiting_for_larger_executors");
  EXPECT_THAT(waiting.value("message", ""), HasSubstr("the largest of 1 executor has 0 MiB"));
  EXPECT_THAT(waiting["excluded_for_memory"], ElementsAre(small));
  const Finished shown = DlSubmit({"status", "--master", cluster.url(), id});
  EXPECT_THAT(shown.text, HasSubstr("no units for  " + small));
  EXPECT_THAT(shown.text, HasSubstr("more than their memory holds"));

  cluster.UseExecutorFlags({});
  cluster.StartExecutor();
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
  const Json after = cluster.Job(id);
  for (const auto& [worker, executor] : after["placement"].items()) EXPECT_NE(executor, small);

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Compared with the idle executor, the process grew by less than the estimate for one unit.
  const int64_t idle = ProcessStatus(cluster.ExecutorPid(0), "VmHWM");
  const int64_t worked = ProcessStatus(cluster.ExecutorPid(1), "VmHWM");
  const int64_t said = after.value("unit_memory_bytes", int64_t{0});
  std::cout << "an executor of this small job grew by " << ((worked - idle) >> 10) << " KiB, "
            << (said >> 10) << " KiB are said of a unit\n";
  EXPECT_LE(worked - idle, said);
#endif
}

// As on local-cluster[N]: no larger executor can join, so the job would wait forever.
TEST(SmallExecutor, JobThatFitsNoExecutorIsRefusedIfNoOtherMayJoin) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.UseMasterFlags({"--no-other-executors", "--executor-memory", "1M"});
  cluster.StartMaster();
  const Finished refused = cluster.Ask(
      "submit", {"-d", WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kCnnKeep}))});
  EXPECT_EQ(refused.exit_code, kInvalidConfig) << refused.text << refused.errors;
  const Json error = refused.result().value("error", Json::object());
  EXPECT_THAT(error.value("message", ""), HasSubstr("MiB of memory, but an executor has only"));
  EXPECT_THAT(error.value("remedy", ""), HasSubstr("fewer executors on this machine"));
}

TEST(SmallExecutor, MemoryOfExecutorsIsNoLimitIfOthersMayJoin) {
  const TempFolder folder;
  const Finished refused =
      DlSubmit({"master", "--data-dir", folder / "data", "--executor-memory", "1M"});
  EXPECT_EQ(refused.exit_code, kUsage) << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("executors with more memory may join"));
}

}  // namespace
}  // namespace dl::test
