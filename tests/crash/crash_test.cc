// Sends SIGKILL to random processes while a job runs. No acknowledged submission, commit or
// checkpoint may be lost, nothing may hang, and the bits must be right. A second variant also drops
// all data that was not synced before a kill. DL_CRASH_KILLS scales the number of kills: 1 in the
// suite, 10 in ./dev test-crash.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

constexpr int64_t kRoundsPerEpoch = 7, kUnitsPerRound = 3;
constexpr int64_t kKeepLast = 3;

int Scale() {
  const char* env = std::getenv("DL_CRASH_KILLS");
  return env == nullptr ? 1 : std::atoi(env);
}

// Everything that the master acknowledged to clients. It must exist after any crash.
struct Acknowledged {
  int64_t committed = 0;
  std::set<int64_t> checkpoints;     // rounds, as listed last
  std::set<int64_t> pinned;          // a subset of the checkpoints
  std::vector<std::string> submits;  // ids of small jobs
};

class CrashTest : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() {
    suite_ = new TempFolder;
    job::JobSpec spec = MakeSample(*suite_, {.job = SampleJob::kCnnKeep, .epochs = kEpochs});
    spec.training.checkpoint.keep_last = kKeepLast;
    job_file_ = WriteJob(*suite_, "job", spec);
    small_file_ = WriteJob(*suite_, "small",
                           MakeSample(*suite_, {.job = SampleJob::kMlpAverage, .epochs = 1}));
    const std::string data = *suite_ / "reference";
    const Json reference = RunReference(job_file_, data);
    const Finished log =
        DlSubmit({"inspect", "--data-dir", data, "--log", reference.value("job", "")});
    for (const Json& record : log.lines) {
      if (record.value("type", "") == "commit")
        states_[record.value("round", int64_t{0})] = record.at("state").value("sha256", "");
    }
    ASSERT_EQ(static_cast<int64_t>(states_.size()), kRounds) << log.errors;
    ASSERT_EQ(states_[kRounds], reference.value("state_sha256", ""));
    small_state_ = RunReference(small_file_).value("state_sha256", "");
  }
  static void TearDownTestSuite() { delete std::exchange(suite_, nullptr); }

  void SetUp() override {
    ASSERT_EQ(small_state_.size(), 64u) << "there is nothing to compare with";
    if (GetParam()) setenv("DL_TEST_DROP_UNSYNCED", "1", 1);
    cluster_.StartMaster();
    for (int i = 0; i < 2; ++i) StartGuardedExecutor();
    id_ = cluster_.Submit(job_file_);
  }
  void TearDown() override { unsetenv("DL_TEST_DROP_UNSYNCED"); }

  // Starts an executor that stops before each unit after its share of units. All executors together
  // may compute only two thirds of the job, so that the job cannot end before the last kill,
  // however fast the machine. MakeProgress continues stopped executors for a few units.
  void StartGuardedExecutor() {
    const int64_t budget = kRounds * kUnitsPerRound * 2 / 3;
    const ScopedFailPoints armed(
        absl::StrCat("executor.compute=stop@", budget / (2 + kExecutorKills), "+").c_str());
    cluster_.StartExecutor();
  }
  void MakeProgress() {
    cluster_.WaitUntil(id_, [this](const Json& job) {
      if (job.value("rounds", int64_t{-1}) > acknowledged_.committed) return true;
      for (size_t i = 0; i < 2; ++i) cluster_.Continue(oldest_executor_ + i);
      return false;
    });
  }

  // Called just before a kill of the master: submits another small job and pins another checkpoint.
  void BeAcknowledged() {
    CompareJob();
    CompareCheckpoints();
    if (!acknowledged_.checkpoints.empty()) {
      const int64_t newest = *acknowledged_.checkpoints.rbegin();
      const Finished pinned = cluster_.Ask("checkpoints", {id_, "--pin", std::to_string(newest)});
      if (pinned.exit_code == 0)
        acknowledged_.pinned.insert(newest);  // fails if newer checkpoints
                                              // replaced it
    }
    acknowledged_.submits.push_back(cluster_.Submit(small_file_));
  }
  void CompareJob() {
    const Json job = cluster_.Job(id_);
    const int64_t rounds = job.value("rounds", int64_t{-1});
    EXPECT_GE(rounds, acknowledged_.committed) << "a committed round is lost: " << job.dump();
    acknowledged_.committed = std::max(acknowledged_.committed, rounds);
    EXPECT_EQ(job.value("job", ""), id_);
  }
  void CompareCheckpoints() {
    const Finished listed = cluster_.Ask("checkpoints", {id_});
    EXPECT_EQ(listed.exit_code, 0) << listed.errors;
    std::set<int64_t> rounds, pinned;
    for (const Json& item : listed.lines) {
      const int64_t round = *rounds.insert(item.value("round", int64_t{-1})).first;
      if (item.value("pinned", false)) pinned.insert(round);
      EXPECT_EQ(item.value("state_sha256", ""), states_[round]) << "round " << round;
    }
    EXPECT_TRUE(std::ranges::includes(pinned, acknowledged_.pinned)) << listed.text;
    for (const int64_t round : acknowledged_.checkpoints) {
      if (rounds.contains(round)) continue;
      const auto newer = std::distance(rounds.upper_bound(round), rounds.end());
      EXPECT_GE(newer, kKeepLast) << "checkpoint " << round << " is lost: " << listed.text;
    }
    acknowledged_.checkpoints = rounds;
  }

  static inline const int kMasterKills = 5 * Scale(), kExecutorKills = 10 * Scale();
  static inline const int64_t kEpochs = 30 + 40 * Scale(), kRounds = kEpochs * kRoundsPerEpoch;

  static inline TempFolder* suite_ = nullptr;
  static inline std::string job_file_, small_file_, small_state_;
  static inline std::map<int64_t, std::string> states_;  // of an undisturbed run, by round

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string id_;
  size_t oldest_executor_ = 0;  // the older of the two running executors
  Acknowledged acknowledged_;
};

TEST_P(CrashTest, KillsLoseNothingAndChangeNothing) {
  RandomStream random({.seed = GetParam() ? 2u : 1u, .purpose = RandomPurpose::kForTests});
  int masters = 0, executors = 0;
  while (masters < kMasterKills || executors < kExecutorKills) {
    // Some kills hit while the job advances, some while it still recovers from the previous kill.
    if (random.Bounded(2) == 0) MakeProgress();
    launch::Pause(std::chrono::milliseconds(random.Bounded(200)));
    const bool master = executors >= kExecutorKills ||
                        (masters < kMasterKills && random.Bounded(kMasterKills + kExecutorKills) <
                                                       static_cast<uint64_t>(kMasterKills));
    if (master) {
      ++masters;
      BeAcknowledged();
      cluster_.KillMaster();
      cluster_.StartMaster();
      CompareCheckpoints();
    } else {
      ++executors;
      ASSERT_TRUE(cluster_.SignalExecutor(oldest_executor_++, SIGKILL).ok());
      StartGuardedExecutor();
    }
    // Rounds only grow. If training has not ended after the kill, it had not ended at the kill.
    CompareJob();
    ASSERT_LT(acknowledged_.committed, kRounds) << "the kill came after the end of training";
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(acknowledged_.committed, 0);
  EXPECT_FALSE(acknowledged_.pinned.empty());

  cluster_.KillExecutors();
  for (int i = 0; i < 2; ++i) cluster_.StartExecutor();
  const Json result = cluster_.Wait(id_);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("rounds", int64_t{0}), kRounds);
  EXPECT_EQ(result.value("state_sha256", ""), states_[kRounds]);
  EXPECT_EQ(std::set(acknowledged_.submits.begin(), acknowledged_.submits.end()).size(),
            static_cast<size_t>(kMasterKills));
  for (const std::string& id : acknowledged_.submits) {
    const Json small = cluster_.Wait(id);
    EXPECT_EQ(small.value("state", ""), "SUCCEEDED") << small.dump();
    EXPECT_EQ(small.value("state_sha256", ""), small_state_) << id;
  }
  CompareCheckpoints();
  EXPECT_TRUE(acknowledged_.checkpoints.contains(kRounds));
  for (const int64_t round : acknowledged_.checkpoints) {
    const Finished read = cluster_.Ask("inspect", {absl::StrCat(id_, "@", round)});
    EXPECT_EQ(read.exit_code, 0) << read.errors;
    EXPECT_EQ(read.result().value("state_sha256", ""), states_[round]) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Disks, CrashTest, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "UnsyncedIsLost" : "Plain"; });

}  // namespace
}  // namespace dl::test
