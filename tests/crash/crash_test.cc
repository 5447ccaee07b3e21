// Random SIGKILLs of real processes while a job runs: no submission, commit or checkpoint that was
// acknowledged is lost, nothing hangs, the bits are right. The same where a kill also drops
// everything that was not synced. DL_CRASH_KILLS scales it: 1 in the suite, 10 in ./dev test-crash.
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

// What clients were told is durable: it must be there after any crash.
struct Acknowledged {
  int64_t committed = 0;
  std::set<int64_t> checkpoints;     // rounds, as listed last
  std::set<int64_t> pinned;          // of those
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

  // The job cannot end before the last kill, however fast the machine: all of these executors
  // together may compute less than the job has. Each then stands still before every further unit,
  // and MakeProgress lets go of a few.
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

  // Just before a kill of the master: one more small job, one more pinned checkpoint.
  void BeAcknowledged() {
    CompareJob();
    CompareCheckpoints();
    if (!acknowledged_.checkpoints.empty()) {
      const int64_t newest = *acknowledged_.checkpoints.rbegin();
      const Finished pinned = cluster_.Ask("checkpoints", {id_, "--pin", std::to_string(newest)});
      if (pinned.exit_code == 0) acknowledged_.pinned.insert(newest);  // else newer ones came
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
    for (const Json& item : listed.result()) {
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
  static inline std::map<int64_t, std::string> states_;  // by round, of an undisturbed run

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string id_;
  size_t oldest_executor_ = 0;  // of the two that live
  Acknowledged acknowledged_;
};

TEST_P(CrashTest, KillsLoseNothingAndChangeNothing) {
  RandomStream random({.seed = GetParam() ? 2u : 1u, .purpose = RandomPurpose::kTest});
  int masters = 0, executors = 0;
  while (masters < kMasterKills || executors < kExecutorKills) {
    // Some kills strike while the job goes on, some while it still recovers from the one before.
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
    // Rounds only grow: what is not over behind the kill was not over when it struck.
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
