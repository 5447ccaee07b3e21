// A disk fills up while a job runs. The job stops with a reason, and nothing hangs or crashes. Once
// there is room, the job continues to the same bits, with everything that was acknowledged.
//
// There are two thresholds (docs/operations/troubleshooting.md): bulk content (checkpoints, blocks)
// stops at 256 MiB free, the meta store at 64 MiB.
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/damage.h"
#include "tests/support/generated_data.h"

namespace dl::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Ge;
using testing::HasSubstr;
using testing::IsSubsetOf;
using testing::Lt;

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kDisk = 330 * kMiB;  // both thresholds, the ballast of 32 MiB, and some space for
                                       // data
constexpr int64_t kBulkStops = 200 * kMiB;
constexpr int64_t kMetaStops = 10 * kMiB;
constexpr int64_t kEpochsOfFullDisk = 30;  // of 7 rounds each
constexpr int64_t kRoundsOfFullDisk = kEpochsOfFullDisk * 7;

class FullDiskTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!disk_.refused().empty()) GTEST_SKIP() << disk_.refused();
    job_ = WriteJob(folder_, "job", Spec());
    if (expected_.empty()) expected_ = RunReference(job_).value("state_sha256", "");
    ASSERT_EQ(expected_.size(), 64u);
  }
  job::JobSpec Spec() {
    return MakeSample(folder_, {.job = SampleJob::kMlpAverage, .epochs = kEpochsOfFullDisk});
  }

  // Expects an error for users and scripts: what is wrong, where, and what to do.
  static void ExpectFullDisk(const Json& error) {
    EXPECT_EQ(error.value("code", ""), "resource_exhausted") << error.dump();
    EXPECT_THAT(error.value("message", ""), HasSubstr("too little free space")) << error.dump();
    EXPECT_THAT(error.value("where", ""), HasSubstr("/data/")) << error.dump();
    EXPECT_THAT(error.value("remedy", ""), HasSubstr("Free space")) << error.dump();
  }

  // Starts two executors that stop in the middle of the job, so that the disk fills up before its
  // end on any machine.
  static void StartExecutorsThatStop(StandingCluster& cluster) {
    const ScopedFailPoints armed("executor.compute=stop@20");
    for (int i = 0; i < 2; ++i) cluster.StartExecutor();
  }
  // Waits for the first checkpoint, which may not be written yet when the executors have stopped.
  static std::set<int64_t> FirstCheckpoints(StandingCluster& cluster, const std::string& id) {
    cluster.WaitUntil(id, [&](const Json&) { return !ListedCheckpoints(cluster, id).empty(); });
    return ListedCheckpoints(cluster, id);
  }
  static std::set<int64_t> ListedCheckpoints(StandingCluster& cluster, const std::string& id) {
    std::set<int64_t> rounds;
    const Finished listed = cluster.Ask("checkpoints", {id});
    EXPECT_EQ(listed.exit_code, 0) << listed.errors;
    for (const Json& item : listed.lines) rounds.insert(item.value("round", int64_t{-1}));
    return rounds;
  }
  static void ExpectReadable(StandingCluster& cluster, const std::string& id,
                             const std::set<int64_t>& rounds) {
    for (const int64_t round : rounds) {
      const Finished read = cluster.Ask("inspect", {id + "@" + std::to_string(round)});
      EXPECT_EQ(read.exit_code, 0) << round << ": " << read.errors;
    }
  }

  TempFolder folder_;
  SmallDisk disk_{kDisk};
  std::string job_;
  static inline std::string expected_;  // of an undisturbed run
};

TEST_F(FullDiskTest, JobWithoutCheckpointTrainsAndWaitsAtEnd) {
  StandingCluster cluster(folder_, disk_.path() + "/data");
  cluster.StartMaster();
  StartExecutorsThatStop(cluster);
  const std::string id = cluster.Submit(job_);
  for (size_t i = 0; i < 2; ++i) cluster.WaitForStop(i);
  const int64_t seen = cluster.Job(id).value("rounds", int64_t{0});
  ASSERT_THAT(seen, AllOf(Ge(7), Lt(kRoundsOfFullDisk - 14)));
  ASSERT_FALSE(FirstCheckpoints(cluster, id).empty());
  disk_.Leave(kBulkStops);
  for (size_t i = 0; i < 2; ++i) cluster.Continue(i);

  cluster.WaitForRound(id, kRoundsOfFullDisk);
  EXPECT_FALSE(cluster.Job(id).contains("error"));
  EXPECT_THAT(cluster.MasterLog(), HasSubstr("writing checkpoint " + id + "@"));
  EXPECT_THAT(cluster.MasterLog(), HasSubstr("too little free space"));

  // There is no room for new data either. This is reported before a job exists.
  job::JobSpec other = Spec();
  const ImageSet images = WriteImages(folder_ / "other", {.examples = 50, .seed = 9});
  other.data.train = data::Idx(images.features, images.labels);
  const Finished refused = cluster.Ask("submit", {"-d", WriteJob(folder_, "other", other)});
  EXPECT_EQ(refused.exit_code, kInputOutput) << refused.text;
  ExpectFullDisk(refused.result().value("error", Json::object()));

  // No acknowledged data is lost, not even by a kill while the disk is full.
  const std::set<int64_t> checkpoints = ListedCheckpoints(cluster, id);
  cluster.KillMaster();
  cluster.StartMaster();
  EXPECT_EQ(cluster.Job(id).value("rounds", int64_t{0}), kRoundsOfFullDisk);
  EXPECT_EQ(ListedCheckpoints(cluster, id), checkpoints);
  ExpectReadable(cluster, id, checkpoints);

  disk_.MakeRoom();
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("attempt", 0), 1);
  EXPECT_EQ(result.value("state_sha256", ""), expected_);
}

TEST_F(FullDiskTest, MasterWithoutRoomForRecordsEndsAndResumes) {
  StandingCluster cluster(folder_, disk_.path() + "/data");
  cluster.StartMaster();
  StartExecutorsThatStop(cluster);
  const std::string id = cluster.Submit(job_);
  for (size_t i = 0; i < 2; ++i) cluster.WaitForStop(i);
  const int64_t seen = cluster.Job(id).value("rounds", int64_t{0});
  const std::set<int64_t> checkpoints = FirstCheckpoints(cluster, id);
  ASSERT_FALSE(checkpoints.empty());
  ASSERT_THAT(seen, AllOf(Ge(7), Lt(kRoundsOfFullDisk - 14)));
  disk_.Leave(kMetaStops);
  for (size_t i = 0; i < 2; ++i) cluster.Continue(i);

  // The master ends by itself. A restart on the full disk reports the same error and changes
  // nothing.
  for (int start = 0; start < 2; ++start) {
    const Finished ended = start == 0 ? cluster.WaitForMasterEnd() : cluster.TryToStartMaster();
    EXPECT_EQ(ended.exit_code, kInputOutput) << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr("error: too little free space"));
    EXPECT_THAT(ended.errors, HasSubstr("at: " + cluster.data_dir() + "/meta"));
    EXPECT_THAT(ended.errors, HasSubstr("try: Free space on the disk"));
  }

  disk_.MakeRoom();
  for (size_t i = 0; i < 2; ++i) cluster.Stop(i);  // a job that continues replaces checkpoints
  cluster.StartMaster();
  EXPECT_THAT(checkpoints, IsSubsetOf(ListedCheckpoints(cluster, id)));
  ExpectReadable(cluster, id, checkpoints);
  for (size_t i = 0; i < 2; ++i) cluster.Continue(i);
  const Json job = cluster.Job(id);
  EXPECT_GE(job.value("rounds", int64_t{0}), seen) << "a committed round is lost";
  EXPECT_LT(job.value("rounds", int64_t{0}), kRoundsOfFullDisk);
  // Either the job was running and continues by itself. Or a checkpoint failed first for the same
  // reason, and the failure could still be recorded.
  EXPECT_THAT(job.value("state", ""), AnyOf("RECOVERING", "RUNNING", "WAITING", "FAILED"));
  if (job.value("state", "") == "FAILED") {
    EXPECT_EQ(job.value("reason", ""), "storage") << job.dump();
    ASSERT_EQ(DlSubmit({"resume", "--master", cluster.url(), "-d", id}).exit_code, 0);
  }
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state_sha256", ""), expected_);
}

// There is no room for the master's last records, so it must end with an error.
TEST_F(FullDiskTest, StoppingMasterReportsUnwrittenCheckpoint) {
  StandingCluster cluster(folder_, disk_.path() + "/data");
  cluster.StartMaster();
  StartExecutorsThatStop(cluster);
  const std::string id = cluster.Submit(job_);
  for (size_t i = 0; i < 2; ++i) cluster.WaitForStop(i);
  disk_.Leave(kMetaStops);
  cluster.TerminateMaster();
  const Finished ended = cluster.WaitForMasterEnd();
  EXPECT_THAT(ended.errors, HasSubstr("stopping: writing last checkpoints"));
  EXPECT_THAT(ended.errors, HasSubstr("error: too little free space"));
  EXPECT_EQ(ended.exit_code, kInputOutput) << ended.errors;

  disk_.MakeRoom();
  for (size_t i = 0; i < 2; ++i) cluster.Continue(i);
  cluster.StartMaster();
  EXPECT_EQ(cluster.Wait(id).value("state_sha256", ""), expected_);
}

TEST_F(FullDiskTest, SubmissionIsRefusedAndMasterContinues) {
  StandingCluster cluster(folder_, disk_.path() + "/data");
  cluster.StartMaster();
  cluster.StartExecutor();
  const std::string first = cluster.Submit(job_);  // so its data is stored from now on
  ASSERT_EQ(cluster.Ask("cancel", {first}).exit_code, 0);
  ASSERT_EQ(cluster.Ask("wait", {first}).result().value("state", ""), "CANCELLED");
  disk_.Leave(kMetaStops);
  const Finished refused = cluster.Ask("submit", {"-d", job_});
  EXPECT_EQ(refused.exit_code, kInputOutput) << refused.text << refused.errors;
  ExpectFullDisk(refused.result().value("error", Json::object()));
  EXPECT_EQ(cluster.Job(first).value("state", ""), "CANCELLED");

  disk_.MakeRoom();
  EXPECT_EQ(cluster.Wait(cluster.Submit(job_)).value("state_sha256", ""), expected_);
}

// A checkpoint can wait for room (see above), a record cannot.
TEST_F(FullDiskTest, ForegroundRunEndsAndResumes) {
  const std::string data_dir = disk_.path() + "/data";
  const auto start = [&] {
    const ScopedFailPoints armed("executor.compute=stop@40");  // after the 10th round
    return ForegroundRun(folder_,
                         {"run", "--master", "local[1]", "--data-dir", data_dir, "--json", job_});
  };
  ForegroundRun run = start();
  run.WaitForStop();
  disk_.Leave(kMetaStops);
  run.Continue();
  const Finished stopped = run.Finish();
  EXPECT_EQ(stopped.result().value("type", ""), "result") << stopped.text;
  EXPECT_EQ(stopped.result().value("exit_code", -1), stopped.exit_code);
  EXPECT_TRUE(stopped.exit_code == kFailed || stopped.exit_code == kInputOutput)
      << stopped.result().dump() << stopped.errors;
  ExpectFullDisk(stopped.result().value("error", Json::object()));

  disk_.MakeRoom();
  const Finished resumed =
      DlSubmit({"resume", "--master", "local[2]", "--data-dir", data_dir, "--json", "mlp-1"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(resumed.result().value("state_sha256", ""), expected_);
}

TEST_F(FullDiskTest, ExecutorComputesWithoutCache) {
  disk_.Leave(kMiB);
  StandingCluster cluster(folder_);
  cluster.StartMaster();
  cluster.StartExecutor(disk_.path() + "/cache");
  const std::string id = cluster.Submit(job_);
  EXPECT_EQ(cluster.Wait(id).value("state_sha256", ""), expected_);
  EXPECT_THAT(cluster.ExecutorLog(), HasSubstr("cannot write to the block cache"));
  EXPECT_THAT(cluster.ExecutorLog(), HasSubstr("too little free space"));
}

}  // namespace
}  // namespace dl::test
