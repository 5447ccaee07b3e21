// Ended jobs are deleted with all data that only they use, and the space on the disk is freed.
#include <algorithm>
#include <iostream>

#include "base/checksum.h"
#include "base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/clusters/cluster.h"
#include "launch/pause.h"
#include "rpc/messages.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/folder_content.h"
#include "tests/support/generated_data.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Deleting : public testing::Test {
 protected:
  void Start(const std::vector<std::string>& words = {}) {
    const Finished started = cluster_.TryToStartMaster(words);
    ASSERT_EQ(started.exit_code, -1) << started.errors;
    auto target = launch::ParseTarget(cluster_.url());
    DL_ASSERT_OK(target);
    auto opened = launch::Cluster::Open({.target = *target});
    DL_ASSERT_OK(opened);
    asked_ = *std::move(opened);
    cluster_.StartExecutor();
  }
  // `seed` is the seed of the job's own training images; 0: the images of all sample jobs.
  std::string Run(SampleJob job, int64_t epochs, uint64_t seed = 0) {
    const std::string name = ToString(job) + std::to_string(epochs);
    job::JobSpec spec = MakeSample(folder_, {.job = job, .epochs = epochs});
    if (seed != 0) {
      const ImageSet own = WriteImages(folder_ / "own", {.examples = 331, .seed = seed});
      spec.data.train = job::IdxSource{.features = own.features, .labels = own.labels};
      spec.data.test.reset();
    }
    const std::string id = cluster_.Submit(WriteJob(folder_, name, spec));
    EXPECT_EQ(cluster_.Wait(id).value("state", ""), "SUCCEEDED");
    return id;
  }
  std::vector<std::string> BlocksOf(const std::string& id) {
    std::vector<std::string> blocks;
    for (const auto what : {rpc::QueryKind::kTrainManifest, rpc::QueryKind::kTestManifest}) {
      const auto manifest = asked_->client().Query({.what = what, .job = id}, kLongCall);
      if (!manifest.ok()) continue;
      const Json json = Json::parse(manifest->json);
      for (const Json& block : json.at("blocks")) blocks.push_back(block.value("sha256", ""));
    }
    EXPECT_FALSE(blocks.empty());
    return blocks;
  }
  std::vector<std::string> Missing(const std::vector<std::string>& blocks) {
    auto missing = asked_->client().MissingBlocks({.sha256 = blocks}, kLongCall);
    DL_EXPECT_OK(missing);
    return missing.ok() ? missing->missing : std::vector<std::string>{};
  }
  // Unlike Missing, does not make the master keep the blocks for this client.
  bool AllAreStored(const std::vector<std::string>& blocks) {
    return std::ranges::all_of(blocks, [&](const std::string& block) {
      return asked_->client().FetchBlock({.sha256 = block, .length = 1}, kLongCall).ok();
    });
  }
  void WaitUntilGone(const std::string& id) {
    const Instant limit = Clock::Real().Now() + kTimeout;
    while (cluster_.Ask("status", {id}).exit_code != 4 && Clock::Real().Now() < limit)
      launch::Pause(std::chrono::milliseconds(50));
  }
  int64_t TableBytes() const {
    int64_t bytes = 0;
    for (const std::string& path : FilesEndingIn(cluster_.data_dir() + "/bulk/db", ".sst"))
      bytes += static_cast<int64_t>(Content(path).size());
    return bytes;
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::unique_ptr<launch::Cluster> asked_;
};

TEST_F(Deleting, DeletedJobsFreeOnlyUnsharedData) {
  Start();
  const std::string mlp = Run(SampleJob::kMlpAverage, 1), cnn = Run(SampleJob::kCnnKeep, 1, 7);
  const std::string again = Run(SampleJob::kMlpAverage, 2);  // uses the data of the first job
  const auto shared = BlocksOf(mlp), own = BlocksOf(cnn);
  ASSERT_EQ(BlocksOf(again), shared);
  const int64_t bytes = TableBytes();

  const Finished deleted = cluster_.Ask("delete", {cnn});
  EXPECT_EQ(deleted.exit_code, 0) << deleted.errors;
  EXPECT_THAT(deleted.text, HasSubstr(cnn + " is deleted, with its checkpoints"));
  EXPECT_EQ(Missing(own), own);
  EXPECT_TRUE(AllAreStored(shared));
  EXPECT_EQ(cluster_.Ask("status", {cnn}).exit_code, 4);
  EXPECT_EQ(cluster_.Ask("checkpoints", {cnn}).exit_code, 4);

  EXPECT_EQ(cluster_.Ask("delete", {mlp}).exit_code, 0);
  EXPECT_TRUE(AllAreStored(shared)) << "another job names them";
  EXPECT_EQ(cluster_.Ask("delete", {again}).exit_code, 0);
  EXPECT_EQ(Missing(shared), shared);
  // Another thread deletes the checkpoints after the answer.
  const Instant limit = Clock::Real().Now() + kTimeout;
  while (TableBytes() >= bytes / 4 && Clock::Real().Now() < limit)
    launch::Pause(std::chrono::milliseconds(20));
  std::cout << "tables of " << (bytes >> 10) << " KiB; of what is left, " << (TableBytes() >> 10)
            << "\n";
  EXPECT_LT(TableBytes(), bytes / 4);

  cluster_.KillMaster();
  cluster_.StartMaster();
  EXPECT_EQ(cluster_.Ask("list").text, "");
  // The number of a deleted job is not used again.
  EXPECT_EQ(Run(SampleJob::kMlpAverage, 1), mlp.substr(0, mlp.rfind('-')) + "-4");
}

TEST_F(Deleting, KeepJobsDeletesJobsThatEndedFirst) {
  Start({"--keep-jobs", "2"});
  std::vector<std::string> ids;
  for (int64_t epochs = 1; epochs <= 4; ++epochs) {
    ids.push_back(Run(SampleJob::kMlpAverage, epochs));
    if (epochs > 1) continue;
    const int64_t last = cluster_.Job(ids[0]).value("rounds", int64_t{0});
    EXPECT_EQ(cluster_.Ask("checkpoints", {ids[0], "--pin", std::to_string(last)}).exit_code, 0);
  }
  // The first job has a pinned checkpoint, and does not count.
  WaitUntilGone(ids[1]);
  for (size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(cluster_.Ask("status", {ids[i]}).exit_code, i == 1 ? 4 : 0) << ids[i];
  // A master that is started with a lower limit deletes, too.
  cluster_.KillMaster();
  Start({"--keep-jobs", "1"});
  WaitUntilGone(ids[2]);
  EXPECT_EQ(cluster_.Ask("status", {ids[2]}).exit_code, 4);
  EXPECT_EQ(cluster_.Ask("status", {ids[3]}).exit_code, 0);
  EXPECT_EQ(cluster_.Ask("status", {ids[0]}).exit_code, 0);
}

// No job ends while these jobs age. The first job has a pinned checkpoint. The others are too young
// until a master starts with a shorter limit.
TEST_F(Deleting, KeepForDeletesJobsByAge) {
  Start({"--keep-for", "8w"});
  std::vector<std::string> ids;
  for (int64_t epochs = 1; epochs <= 3; ++epochs)
    ids.push_back(Run(SampleJob::kMlpAverage, epochs));
  const Json first = cluster_.Job(ids[0]);
  EXPECT_GE(first.value("ended_unix_ms", int64_t{0}), first.value("submitted_unix_ms", int64_t{1}));
  const std::string last = std::to_string(first.value("rounds", int64_t{0}));
  EXPECT_EQ(cluster_.Ask("checkpoints", {ids[0], "--pin", last}).exit_code, 0);
  cluster_.KillMaster();
  Start({"--keep-for", "1s", "--keep-jobs", "100"});
  WaitUntilGone(ids[1]);
  WaitUntilGone(ids[2]);
  EXPECT_EQ(cluster_.Ask("list").lines.size(), 1u);
  // A job that ends during this run of the master is deleted too, although no other job ends after
  // it.
  const std::string id = cluster_.Submit(WriteJob(
      folder_, "another", MakeSample(folder_, {.job = SampleJob::kMlpAverage, .epochs = 4})));
  WaitUntilGone(id);
  EXPECT_EQ(cluster_.Ask("status", {id}).exit_code, 4);
  EXPECT_EQ(cluster_.Ask("status", {ids[0]}).exit_code, 0);
  // Once unpinned, the first job is checked again.
  EXPECT_EQ(cluster_.Ask("checkpoints", {ids[0], "--unpin", last}).exit_code, 0);
  WaitUntilGone(ids[0]);
  EXPECT_EQ(cluster_.Ask("list").lines.size(), 0u);
}

TEST_F(Deleting, KeepUploadsDeletesUnusedUploads) {
  Start({"--keep-uploads", "8w"});
  const std::string trained = Run(SampleJob::kMlpAverage, 1);
  const std::string idle = "a block that no job names", name = Sha256Hex(idle);
  DL_ASSERT_OK(asked_->client().PutBlocks(
      {.sha256 = {name}, .sizes = {static_cast<int64_t>(idle.size())}, .bytes = idle}, kLongCall));
  EXPECT_THAT(Missing({name}), IsEmpty());
  cluster_.KillMaster();
  Start({"--keep-uploads", "1s"});
  const Instant limit = Clock::Real().Now() + kTimeout;
  // A query for the block would keep it, so the test waits for the log line about its space.
  while (cluster_.MasterLog().find("no job has used what was uploaded") == std::string::npos &&
         Clock::Real().Now() < limit)
    launch::Pause(std::chrono::milliseconds(50));
  EXPECT_THAT(Missing({name}), ElementsAre(name));
  EXPECT_THAT(Missing(BlocksOf(trained)), IsEmpty());
}

}  // namespace
}  // namespace dl::test
