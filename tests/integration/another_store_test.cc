// An executor outlives its master's data folder: another master starts on the same port, with an
// empty folder or with a copy that is older than the job. It numbers jobs from the beginning again.
// So its first job has a name that the executor knows, and starts from the same state. The new job
// must not use any data of the old job.
#include <csignal>
#include <filesystem>
#include <tuple>

#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

enum class Store { kEmpty, kOlderCopy };
enum class OldJob { kEnded, kUnderWay };

class AnotherStoreTest : public testing::TestWithParam<std::tuple<Store, OldJob>> {};

TEST_P(AnotherStoreTest, SameJobNameInNewFolderStartsNewJob) {
  const auto [store, old_job] = GetParam();
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.epochs = 3});
  spec.training.verify_fraction = 0;  // the executor is stopped and cannot confirm anything
  const std::string first = WriteJob(folder, "first", spec);
  SetLearningRate(spec.model.updater, nn::CosineSchedule(0.001));
  const std::string second = WriteJob(folder, "second", spec);
  const std::string expected = RunReference(second).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);

  StandingCluster cluster(folder);
  const std::string other = folder / "other";
  if (store == Store::kOlderCopy) {
    cluster.StartMaster();
    cluster.KillMaster();
    std::filesystem::copy(cluster.data_dir(), other, std::filesystem::copy_options::recursive);
  }
  cluster.StartMaster();
  if (old_job == OldJob::kUnderWay) {
    // The executor stops in its first unit. The second job has the same unit from the same state.
    const ScopedFailPoints armed("executor.compute=stop@1");
    cluster.StartExecutor();
  } else {
    cluster.StartExecutor();
  }
  const std::string id = cluster.Submit(first);
  if (old_job == OldJob::kUnderWay) {
    cluster.WaitForStop(0);
  } else {
    const Json result = cluster.Wait(id);
    EXPECT_NE(result.value("state_sha256", ""), expected) << result.dump();
  }
  cluster.KillMaster();

  // The other master accepts the executor, because access is not what this test is about.
  if (store != Store::kOlderCopy) {
    std::filesystem::create_directory(other);
    for (const char* kept : {"/security", "/token"}) {
      std::filesystem::copy(cluster.data_dir() + kept, other + kept,
                            std::filesystem::copy_options::recursive);
    }
  }
  cluster.UseDataDir(other);
  cluster.StartMaster();
  ASSERT_EQ(cluster.Submit(second), id) << "the test wants the same name";
  if (old_job == OldJob::kUnderWay) {
    // Another executor opens the round at the new master and leaves it open.
    {
      const ScopedFailPoints armed("executor.announce=stop@1");
      cluster.StartExecutor();
    }
    cluster.WaitForStop(1);
    cluster.Continue(0);
  }
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

INSTANTIATE_TEST_SUITE_P(Stores, AnotherStoreTest,
                         testing::Combine(testing::Values(Store::kEmpty, Store::kOlderCopy),
                                          testing::Values(OldJob::kEnded, OldJob::kUnderWay)),
                         [](const auto& info) {
                           const std::string store =
                               std::get<0>(info.param) == Store::kEmpty ? "Empty" : "OlderCopy";
                           return store + (std::get<1>(info.param) == OldJob::kEnded ? "Ended"
                                                                                     : "UnderWay");
                         });

}  // namespace
}  // namespace dl::test
