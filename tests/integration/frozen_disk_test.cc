// The disk of an executor's cache, or of a master's log, hangs while a job runs. Calls to a frozen
// disk wait, and nothing ends them, as if the server of a network file system were gone.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/file_descriptor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/generated_data.h"

namespace dl::test {
namespace {

using testing::HasSubstr;

class FrozenDiskTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!disk_.refused().empty()) GTEST_SKIP() << disk_.refused();
    job_ = WriteJob(folder_, "job", MakeSample(folder_, {.job = SampleJob::kMlpAverage}));
    cluster_.StartMaster();
  }
  void TearDown() override { disk_.Thaw(); }  // before the cluster waits for its executors

  void ExpectTheResult(const std::string& id) {
    const Json result = cluster_.Wait(id);
    EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
    EXPECT_EQ(result.value("state_sha256", ""), RunReference(job_).value("state_sha256", "-"));
  }
  // Stops the executor and waits until the master does not list it.
  void ExpectThatItLeaves() {
    ASSERT_TRUE(cluster_.SignalExecutor(0, SIGTERM).ok());
    while (!cluster_.ExecutorName(0).empty()) launch::Pause(std::chrono::milliseconds(20));
  }

  const TempFolder folder_;
  FreezableDisk disk_;
  StandingCluster cluster_{folder_};
  std::string job_;
};

TEST_F(FrozenDiskTest, OnlyExecutorComputesAndLeaves) {
  {
    const ScopedFailPoints armed("executor.compute=stop@1");
    cluster_.StartExecutor(disk_.path() + "/cache");
  }
  const std::string id = cluster_.Submit(job_);
  cluster_.WaitForStop(0);
  disk_.Freeze();
  cluster_.Continue(0);
  ExpectTheResult(id);
  EXPECT_THAT(cluster_.ExecutorLog(), HasSubstr("cache has not answered for 10 s; blocks are"));
  EXPECT_TRUE(FilesEndingIn(disk_.path() + "/cache/blocks", "").empty());
  ExpectThatItLeaves();
  disk_.Thaw();
  EXPECT_EQ(cluster_.WaitForExecutorEnd(0), 0) << cluster_.ExecutorLog();
}

TEST_F(FrozenDiskTest, CacheIsUsedAgainAfterwards) {
  {
    const ScopedFailPoints armed("executor.compute=stop@1");
    cluster_.StartExecutor(disk_.path() + "/cache");
  }
  const std::string id = cluster_.Submit(job_);
  cluster_.WaitForStop(0);
  disk_.Freeze();
  cluster_.Continue(0);
  ExpectTheResult(id);
  disk_.Thaw();
  job::JobSpec other = MakeSample(folder_, {.job = SampleJob::kMlpAverage});
  const ImageSet images = WriteImages(folder_ / "other", {.examples = 50, .seed = 9});
  other.data.train = data::Idx(images.features, images.labels);
  other.data.test.reset();
  cluster_.Wait(cluster_.Submit(WriteJob(folder_, "other", other)));
  EXPECT_THAT(cluster_.ExecutorLog(), HasSubstr("cache answers again"));
  EXPECT_FALSE(FilesEndingIn(disk_.path() + "/cache/blocks", "").empty());
}

TEST_F(FrozenDiskTest, ExecutorStartsWithoutCache) {
  disk_.Freeze();
  cluster_.StartExecutor(disk_.path() + "/cache");
  ExpectTheResult(cluster_.Submit(job_));
  EXPECT_THAT(cluster_.ExecutorLog(), HasSubstr("cache has not answered for 10 s; this executor"));
  ExpectThatItLeaves();
}

// The log file is a pipe that is full, so each write waits, as on a disk that hangs.
TEST(HungLog, MasterServesAndWritesItsLogLater) {
  const TempFolder folder;
  const std::string pipe = folder / "log";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const FileDescriptor reader(open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader.valid());
  while (write(reader.get(), "x", 1) == 1) continue;
  StandingCluster cluster(folder);
  cluster.UseMasterFlags({"--log-file", pipe});
  cluster.StartMaster();
  cluster.StartExecutor();
  const std::string job = cluster.Submit(WriteJob(folder, "job", MakeSample(folder, {})));
  EXPECT_EQ(cluster.Wait(job).value("state", ""), "SUCCEEDED");
  cluster.TerminateMaster();
  std::string text;
  while (!cluster.MasterHasEnded()) {
    char piece[1 << 12];
    const ssize_t size = read(reader.get(), piece, sizeof(piece));
    if (size > 0) text.append(piece, static_cast<size_t>(size));
  }
  for (char piece[1 << 12];;) {
    const ssize_t size = read(reader.get(), piece, sizeof(piece));
    if (size <= 0) break;
    text.append(piece, static_cast<size_t>(size));
  }
  EXPECT_THAT(text, HasSubstr(" I master: "));
}

}  // namespace
}  // namespace dl::test
