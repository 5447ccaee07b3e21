// Executors with two instruction sets: a job uses the lower one, and continues with the other one
// on request. A job in bf16 uses only executors that have it. A job with portable kernels uses all.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/kernel_contract.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

using testing::HasSubstr;

TEST(MixedCluster, JobContinuesOnRemainingExecutors) {
  const auto best = nn::DetectBestIsa();
  ASSERT_TRUE(best.ok());
  if (*best < nn::Isa::kAvx512) GTEST_SKIP() << "this CPU has one instruction set";
  const TempFolder folder;
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = 2000}));
  StandingCluster cluster(folder);
  cluster.StartMaster();
  for (const char* isa : {"avx2", "avx2", "avx512", "avx512"}) cluster.StartExecutor("", isa);
  // All executors have joined when the job begins.
  for (size_t i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(cluster.WaitForExecutor(i));
  const std::string id = cluster.Submit(job);
  const Json before = cluster.WaitForRound(id, 1);
  EXPECT_THAT(before["kernel_contract"].get<std::string>(), HasSubstr("isa=avx2"));
  EXPECT_EQ(before["excluded"].size(), 2u);

  for (size_t i : {0, 1}) ASSERT_TRUE(cluster.SignalExecutor(i, SIGKILL).ok());
  const Json waiting =
      cluster.WaitUntil(id, [](const Json& status) { return status["state"] == "WAITING"; });
  EXPECT_THAT(waiting["remedy"].get<std::string>(),
              HasSubstr("dl-submit resume --rebind --isa avx512 " + id));
  EXPECT_EQ(cluster.Ask("cancel", {id}).exit_code, 0);
  (void)cluster.WaitUntil(id, [](const Json& status) { return status["state"] == "CANCELLED"; });
  const Finished resumed = cluster.Ask("resume", {id, "--rebind", "--isa", "avx512", "-d"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_THAT(resumed.text, HasSubstr("isa=avx512"));
  const int64_t then = waiting["rounds"].get<int64_t>();
  const Json after = cluster.WaitForRound(id, then + 2);
  EXPECT_THAT(after["kernel_contract"].get<std::string>(), HasSubstr("isa=avx512"));
  EXPECT_TRUE(after["excluded"].empty());
  bool recorded = false;
  for (const Json& record : cluster.RoundLog(id)) recorded |= record["type"] == "rebind";
  EXPECT_TRUE(recorded);
}

// A job in bf16 on a cluster of several executors, one of which has no instructions for it.
TEST(MixedCluster, JobInBf16IsComputedAlikeByAnyNumberOfExecutors) {
  const auto best = nn::DetectBestIsa();
  ASSERT_TRUE(best.ok());
  if (!nn::CheckPrecision(*best, nn::Precision::kBf16).ok())
    GTEST_SKIP() << "this CPU has no instructions for bf16";
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = 3});
  spec.training.precision = nn::Precision::kBf16;
  const std::string job = WriteJob(folder, "job", spec);
  StandingCluster cluster(folder);
  cluster.StartMaster();
  for (const char* isa : {"avx512", "", ""}) cluster.StartExecutor("", isa);
  for (size_t i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(cluster.WaitForExecutor(i));
  const std::string id = cluster.Submit(job);
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result["state"], "SUCCEEDED");
  EXPECT_THAT(result["kernel_contract"].get<std::string>(),
              HasSubstr("isa=" + std::string(nn::IsaName(*best))));
  EXPECT_EQ(cluster.Job(id)["excluded"], Json::array({cluster.ExecutorName(0)}));
  EXPECT_EQ(RunJob("local", job)["state_sha256"], result["state_sha256"]);
  EXPECT_NE(RunJob("local", job, {"--precision", "float32"})["state_sha256"],
            result["state_sha256"])
      << "bf16 has no effect";
}

// The hardware is not in the result: executors with two instruction sets compute one job, together
// and each alone, with one thread and with two.
TEST(MixedCluster, PortableJobIsComputedAlikeByEveryInstructionSet) {
  const auto best = nn::DetectBestIsa();
  ASSERT_TRUE(best.ok());
  if (*best < nn::Isa::kAvx512) GTEST_SKIP() << "this CPU has no AVX-512";
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = 300});
  spec.training.kernels = nn::Portable();
  spec.training.verify_fraction = 0.2;  // one executor checks the other
  const std::string job = WriteJob(folder, "job", spec);
  const Json alone = RunJob("local", job);
  const std::string expected = alone.value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u) << alone.dump();
  EXPECT_EQ(alone["kernel_contract"], "portable/1");
  const Json threads = RunJob("local[2]", job, {"--set", "training.threads_per_worker=2"});
  EXPECT_EQ(threads["state_sha256"], expected) << "two threads";

  StandingCluster cluster(folder);
  cluster.StartMaster();
  for (const char* isa : {"avx2", "avx512"}) cluster.StartExecutor("", isa);
  for (size_t i = 0; i < 2; ++i) ASSERT_NO_FATAL_FAILURE(cluster.WaitForExecutor(i));
  const std::string id = cluster.Submit(job);
  const auto rounds = [&] { return cluster.Job(id)["rounds"].get<int64_t>(); };
  EXPECT_TRUE(cluster.WaitForRound(id, 1)["excluded"].empty());
  ASSERT_TRUE(cluster.SignalExecutor(0, SIGKILL).ok());
  EXPECT_EQ(cluster.WaitForRound(id, rounds() + 3)["state"], "RUNNING") << "by AVX-512 alone";
  cluster.StartExecutor("", "avx2");
  ASSERT_NO_FATAL_FAILURE(cluster.WaitForExecutor(2));
  ASSERT_TRUE(cluster.SignalExecutor(1, SIGKILL).ok());
  EXPECT_EQ(cluster.WaitForRound(id, rounds() + 3)["state"], "RUNNING") << "by AVX2 alone";
  cluster.StartExecutor("", "avx512");
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result["state"], "SUCCEEDED");
  EXPECT_EQ(result["state_sha256"], expected);
  EXPECT_EQ(result["kernel_contract"], "portable/1");
}

}  // namespace
}  // namespace dl::test
