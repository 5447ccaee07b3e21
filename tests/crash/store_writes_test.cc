// Kills the master just before the n-th change that its stores make to their files: while it
// creates a folder, accepts a submission, commits, writes a checkpoint, or recovers from a kill. No
// acknowledged data may be lost, and the job must end with the right bits.
#include <cstdlib>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

constexpr int kKilled = 128 + 9;
constexpr int kTries = 20;  // on a slow machine
constexpr int64_t kEpochs = 2, kRounds = kEpochs * 7;
// Dense at first, where a store is created, then ever wider. The series ends at the first run in
// which the master does not die.
constexpr int64_t kChanges[] = {1, 2, 3, 5, 7, 10, 14, 19, 26, 35, 47, 63, 85, 115, 155, 210, 280};

struct Regime {
  const char* point;
  bool drop_unsynced;  // a kill also loses data that was not synced
  bool recovering;     // armed in the master that recovers from a kill, else in the first master
};

class StoreWritesTest : public testing::TestWithParam<Regime> {
 protected:
  static void SetUpTestSuite() {
    suite_ = new TempFolder;
    job_ = WriteJob(*suite_, "job",
                    MakeSample(*suite_, {.job = SampleJob::kMlpAverage, .epochs = kEpochs}));
    expected_ = RunReference(job_).value("state_sha256", "");
    ASSERT_EQ(expected_.size(), 64u);
  }
  static void TearDownTestSuite() { delete std::exchange(suite_, nullptr); }
  void SetUp() override {
    if (GetParam().drop_unsynced) setenv("DL_TEST_DROP_UNSYNCED", "1", 1);
  }
  void TearDown() override { unsetenv("DL_TEST_DROP_UNSYNCED"); }

  // A cluster whose master dies before the n-th change.
  struct Life {
    explicit Life(const TempFolder& folder) : cluster(folder) {}

    void Start(const std::string& fail_points) {
      Finished started;
      if (!fail_points.empty()) {
        const ScopedFailPoints armed(fail_points.c_str());
        started = cluster.TryToStartMaster();
        if (started.exit_code == -1) return;
        EXPECT_EQ(started.exit_code, kKilled) << started.errors;
        ++deaths;
      }
      cluster.StartMaster();  // must succeed: a kill leaves no damage
    }
    // Called after a request failed because the master died. Starts the master again.
    void Revive(const Finished& failed) {
      const Finished ended = cluster.WaitForMasterEnd();
      EXPECT_EQ(ended.exit_code, kKilled) << ended.errors << failed.errors;
      ++deaths;
      cluster.StartMaster();
    }
    // Sends a read-only request. Repeats it if the master died during it.
    Finished Ask(const std::string& command, const std::vector<std::string>& words) {
      Finished answer = cluster.Ask(command, words);
      for (int tries = 0; answer.exit_code != 0 && tries < kTries; ++tries) {
        if (cluster.MasterHasEnded()) Revive(answer);
        answer = cluster.Ask(command, words);
      }
      EXPECT_EQ(answer.exit_code, 0) << answer.errors;
      return answer;
    }
    // Submits the job and returns its id. If the submission was not acknowledged, the job may or
    // may not exist, but never twice.
    std::string Submit(const std::string& file) {
      const Finished submitted = DlSubmit({"submit", "--master", cluster.url(), "-d", "-q", file});
      if (submitted.exit_code != 0) {
        Revive(submitted);
        const Json jobs = cluster.Ask("list").result();
        EXPECT_LE(jobs.size(), 1u) << jobs.dump();
        return jobs.empty() ? cluster.Submit(file) : jobs.at(0).value("job", "");
      }
      std::string id = submitted.text;
      while (!id.empty() && id.back() == '\n') id.pop_back();
      return id;
    }
    // Follows the job to its end. Everything reported before a death must still hold after it.
    Json Finish(const std::string& id) {
      for (;;) {
        const Json job = Ask("status", {id}).result();
        const int64_t rounds = job.value("rounds", int64_t{-1});
        EXPECT_GE(rounds, committed) << "a committed round is lost: " << job.dump();
        committed = std::max(committed, rounds);
        std::set<int64_t> now;
        for (const Json& item : Ask("checkpoints", {id}).lines)
          now.insert(item.value("round", int64_t{-1}));
        for (const int64_t round : checkpoints)
          EXPECT_TRUE(now.contains(round)) << "checkpoint " << round << " is lost";
        checkpoints = now;  // fewer than the job keeps, so none may be deleted
        if (job.value("state", "") == "SUCCEEDED" || testing::Test::HasFailure()) return job;
        launch::Pause(std::chrono::milliseconds(20));
      }
    }

    StandingCluster cluster;
    int deaths = 0;
    int64_t committed = 0;
    std::set<int64_t> checkpoints;
  };

  // Returns whether the master died.
  bool RunWithDeathAt(int64_t n) {
    const TempFolder folder;
    Life life(folder);
    const std::string fatal = absl::StrCat(GetParam().point, "=kill@", n);
    std::string id;
    if (GetParam().recovering) {
      life.Start("");
      id = life.Submit(job_);
      {
        const ScopedFailPoints armed("executor.compute=stop@30");  // after the first epoch
        life.cluster.StartExecutor();
      }
      life.cluster.WaitForStop(0);
      life.cluster.KillMaster();
      life.Start(fatal);
      life.cluster.Continue(0);
    } else {
      life.Start(fatal);
      life.cluster.StartExecutor();
      id = life.Submit(job_);
    }
    const Json ended = life.Finish(id);
    EXPECT_EQ(ended.value("state_sha256", ""), expected_) << ended.dump();
    EXPECT_EQ(ended.value("rounds", int64_t{0}), kRounds);
    for (const int64_t round : life.checkpoints) {
      const Finished read = life.Ask("inspect", {absl::StrCat(id, "@", round)});
      EXPECT_EQ(read.exit_code, 0) << read.errors;
    }
    EXPECT_LE(life.deaths, 1);
    return life.deaths > 0;
  }

  static inline TempFolder* suite_ = nullptr;
  static inline std::string job_, expected_;
};

TEST_P(StoreWritesTest, KillBeforeAnyWriteLosesNothing) {
  int deaths = 0;
  for (const int64_t n : kChanges) {
    SCOPED_TRACE(absl::StrCat(GetParam().point, " ", n));
    if (!RunWithDeathAt(n)) break;
    ++deaths;
    if (HasFailure()) return;
  }
  RecordProperty("deaths", deaths);
  EXPECT_GE(deaths, 5) << "the point is hardly ever passed";
}

INSTANTIATE_TEST_SUITE_P(
    Points, StoreWritesTest,
    testing::Values(Regime{"store.write", true, false}, Regime{"store.sync", false, false},
                    Regime{"store.entry", true, false}, Regime{"store.write", false, true},
                    Regime{"store.sync", true, true}, Regime{"store.entry", false, true}),
    [](const auto& info) {
      std::string name = info.param.point;
      name.replace(name.find('.'), 1, "_");
      return name + (info.param.recovering ? "_recovering" : "_first_life");
    });

}  // namespace
}  // namespace dl::test
