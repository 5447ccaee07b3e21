// Tests --master slurm[N] on a real Slurm: nodes and tasks are lost, Slurm takes the allocation
// back during the run, a user cancels it. The bits must stay the same, and no process may remain.
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/files.h"
#include "gmock/gmock.h"
#include "launch/pause.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"
#include "tests/slurm/slurm_under_test.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kEpochs = 30;

// Returns a text of the result. "" if the value is null, as in an error.
std::string TextOf(const Finished& finished, const char* key) {
  const Json result = finished.result();
  const auto found = result.find(key);
  return found != result.end() && found->is_string() ? found->get<std::string>() : "";
}

class SlurmTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = SlurmUnderTest::WhyNot(); !why.empty()) GTEST_SKIP() << why;
    job_ = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = kEpochs}));
    slurm_ = std::make_unique<SlurmUnderTest>();
  }
  void TearDown() override {
    if (!HasFailure() || slurm_ == nullptr) return;
    std::error_code none;
    for (const auto& run : std::filesystem::directory_iterator(data_dir() + "/slurm", none)) {
      for (const char* file : {"log", "srun.log", "master.log"})
        std::cerr << file << ": " << ReadFile(run.path() / file, 1 << 20).value_or("") << "\n";
    }
  }

  SlurmUnderTest& slurm() { return *slurm_; }
  const TempFolder& folder() const { return folder_; }
  const std::string& job() const { return job_; }
  std::string data_dir() const { return folder_ / "data"; }
  std::vector<std::string> RunWords(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"run",      "--master", "slurm[4]", "--data-dir",
                                      data_dir(), "--json",   job_};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Starts a run whose master stops once in the middle of the job, until all executors have
  // started. On a busy machine the first executors would otherwise finish the job alone.
  std::unique_ptr<ForegroundRun> StandInTheMiddle(std::vector<std::string> more = {}) {
    const std::string point = absl::StrCat("master.durable=stop@60", folder_ / "stopped");
    const ScopedFailPoints armed(point.c_str());
    auto run = std::make_unique<ForegroundRun>(folder_, RunWords(std::move(more)));
    const std::vector<pid_t> masters = slurm_->WaitForProcesses("master", 1);
    if (masters.size() != 1) return run;
    master_ = masters[0];
    slurm_->WaitForStop(master_);
    WaitForExecutorStarts(4);
    EXPECT_THAT(slurm_->Processes("executor"), testing::SizeIs(4));
    return run;
  }
  void GoOn() const { ASSERT_EQ(kill(master_, SIGCONT), 0); }
  // Takes the allocation back, as Slurm does before the time limit. The job must continue once, in
  // another allocation.
  Finished TakeAllocation(ForegroundRun& run) {
    const std::string id = slurm_->OnlyJob();
    // Stops the executors, so that the job cannot end before.
    for (const pid_t executor : slurm_->Processes("executor")) kill(executor, SIGSTOP);
    slurm_->Ask({"scancel", "--batch", "--signal=TERM", id});
    GoOn();
    slurm_->StartRequeued(id);
    const Finished finished = run.Finish();
    EXPECT_THAT(slurm_->Ask({"scontrol", "show", "job", "-o", id}), HasSubstr("Restarts=1"));
    ExpectNothingLeft();
    ExpectSame(finished);
    ExpectEachEventOnce(finished);
    return finished;
  }
  // Expects that no process and no job of Slurm is left.
  void ExpectNothingLeft() {
    const Instant patience = Clock::Real().Now() + kTimeout;
    while (!slurm_->Processes().empty() && Clock::Real().Now() < patience)
      launch::Pause(std::chrono::milliseconds(100));
    EXPECT_THAT(slurm_->Processes(), IsEmpty());
    EXPECT_EQ(slurm_->Jobs(), "");
  }
  void ExpectSame(const Finished& finished) {
    EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
    EXPECT_EQ(TextOf(finished, "state"), "SUCCEEDED") << finished.errors;
    const Json reference = RunReference(job_);
    EXPECT_EQ(TextOf(finished, "state_sha256"), reference.value("state_sha256", "-"));
    EXPECT_EQ(finished.result().value("rounds", 0), reference.value("rounds", -1));
  }
  void WaitForExecutorStarts(int starts) const {
    const Instant patience = Clock::Real().Now() + kTimeout;
    while (ExecutorStarts() < starts && Clock::Real().Now() < patience)
      launch::Pause(std::chrono::milliseconds(100));
    EXPECT_EQ(ExecutorStarts(), starts);
  }
  // Returns how often executors were started, according to their logs.
  int ExecutorStarts() const {
    int starts = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_dir() + "/slurm")) {
      if (!entry.path().filename().string().starts_with("executor-")) continue;
      const std::string log = ReadFile(entry.path(), 4 << 20).value_or("");
      for (size_t at = 0; (at = log.find(", cache in ", at)) != std::string::npos; ++at) ++starts;
    }
    return starts;
  }
  // Expects that the events are numbered without gaps and repetitions.
  static void ExpectEachEventOnce(const Finished& finished) {
    int64_t last = 0;
    for (const Json& line : finished.lines) {
      const int64_t sequence = line.value("seq", int64_t{0});
      if (sequence == 0) continue;
      EXPECT_EQ(sequence, last + 1) << line.dump();
      last = sequence;
    }
    EXPECT_GT(last, 0);
  }

 private:
  const TempFolder folder_;
  std::string job_;
  std::unique_ptr<SlurmUnderTest> slurm_;
  pid_t master_ = 0;
};

TEST_F(SlurmTest, TrainsAndGivesItsNodesBack) {
  const Finished finished =
      DlSubmit(RunWords({"--slurm-partition", "main", "--slurm-time", "60", "--slurm-account",
                         "physics", "--slurm-memory", "400M", "--slurm-cpus-per-task", "2"}));
  ExpectNothingLeft();
  ExpectSame(finished);
  // Slurm remembers jobs for some minutes after their end.
  const std::string asked = slurm().Ask({"scontrol", "show", "job", "-o"});
  for (const char* word : {"Partition=main", "TimeLimit=01:00:00", "Account=physics",
                           "MinMemoryCPU=200M", "CPUs/Task=2"})
    EXPECT_THAT(asked, HasSubstr(absl::StrCat(" ", word, " ")));
  EXPECT_THAT(asked, HasSubstr(absl::StrCat(" Comment=", TextOf(finished, "job"), " ")));
  ExpectEachEventOnce(finished);
  // The job may end before all executors have started.
  EXPECT_GE(ExecutorStarts(), 1);
  EXPECT_LE(ExecutorStarts(), 4);
}

TEST_F(SlurmTest, KilledExecutorIsRestarted) {
  auto run = StandInTheMiddle();
  const std::vector<pid_t> executors = slurm().Processes("executor");
  ASSERT_FALSE(executors.empty());
  ASSERT_EQ(kill(executors[0], SIGKILL), 0);
  WaitForExecutorStarts(5);
  GoOn();
  const Finished finished = run->Finish();
  ExpectNothingLeft();
  ExpectSame(finished);
  EXPECT_EQ(ExecutorStarts(), 5);
}

TEST_F(SlurmTest, LostTaskEndsNoOtherTask) {
  auto run = StandInTheMiddle();
  const std::vector<pid_t> executors = slurm().Processes("executor");
  ASSERT_FALSE(executors.empty());
  ASSERT_EQ(kill(SlurmUnderTest::ParentOf(executors[0]), SIGKILL), 0);
  slurm().WaitForProcesses("executor", 3);
  GoOn();
  const Finished finished = run->Finish();
  ExpectNothingLeft();
  ExpectSame(finished);
  EXPECT_EQ(ExecutorStarts(), 4) << "the others were started anew";
}

// As before the time limit, or if another user gets the nodes.
TEST_F(SlurmTest, PreemptedAllocationIsRequeued) {
  auto run = StandInTheMiddle();
  const Finished finished = TakeAllocation(*run);
  EXPECT_THAT(finished.errors, HasSubstr("the job is requeued"));
  EXPECT_GT(ExecutorStarts(), 4);
  EXPECT_LE(ExecutorStarts(), 8);
}

// The batch process cannot reach Slurm's controller at that moment, so the job ends in the state
// FAILED.
TEST_F(SlurmTest, RunRequeuesFailedAllocation) {
  const std::string path = std::getenv("PATH"), refused = folder() / "refused";
  DL_ASSERT_OK(CreateFolders(folder() / "bin"));
  DL_ASSERT_OK(AtomicWriteFile(
      folder() / "bin/scontrol",
      absl::StrCat("#!/bin/sh\n"
                   "if [ \"$1\" = requeue ] && [ -n \"$SLURM_JOB_ID\" ] && [ ! -e ",
                   refused,
                   " ]; then\n"
                   "  : > ",
                   refused,
                   "\n  echo 'Unable to contact slurm controller' >&2\n  exit 1\nfi\n"
                   "PATH=${PATH#*:} exec scontrol \"$@\"\n")));
  std::filesystem::permissions(folder() / "bin/scontrol", std::filesystem::perms::owner_all);
  setenv("PATH", absl::StrCat(folder() / "bin", ":", path).c_str(), 1);
  auto run = StandInTheMiddle();
  setenv("PATH", path.c_str(), 1);
  TakeAllocation(*run);
  EXPECT_TRUE(std::filesystem::exists(refused));
}

TEST_F(SlurmTest, ScancelEndsEverything) {
  auto run = StandInTheMiddle();
  // scancel also continues stopped processes.
  slurm().Ask({"scancel", slurm().OnlyJob()});
  const Finished finished = run->Finish();
  EXPECT_EQ(finished.exit_code, kCancelled) << finished.text << finished.errors;
  EXPECT_EQ(TextOf(finished, "state"), "CANCELLED") << finished.text;
  EXPECT_EQ(finished.result().value("exit_code", 0), kCancelled);
  ExpectNothingLeft();
  ExpectSame(DlSubmit({"resume", "--master", "local[2]", "--data-dir", data_dir(), "--json",
                       TextOf(finished, "job")}));
}

TEST_F(SlurmTest, CtrlCWritesCheckpointForResume) {
  auto run = StandInTheMiddle();
  // Stops the executors, so that no unit is computed before the cancellation.
  for (const pid_t executor : slurm().Processes("executor")) kill(executor, SIGSTOP);
  GoOn();
  run->Signal(SIGINT);
  Finished finished = run->Finish();
  EXPECT_EQ(finished.exit_code, kInterrupted) << finished.text << finished.errors;
  EXPECT_EQ(TextOf(finished, "state"), "CANCELLED") << finished.text;
  ExpectNothingLeft();
  finished = DlSubmit({"resume", "--master", "slurm[2]", "--data-dir", data_dir(), "--json",
                       TextOf(finished, "job")});
  ExpectNothingLeft();
  ExpectSame(finished);
}

// The task on the lost node still runs, and Slurm cannot reach it to end it.
TEST_F(SlurmTest, LostNodeEndsNoOtherNode) {
  auto run = StandInTheMiddle({"--slurm-cpus-per-task", "2"});
  const std::string id = slurm().OnlyJob();
  EXPECT_THAT(slurm().Ask({"scontrol", "show", "job", "-o", id}), HasSubstr("NodeList=n[1-4]"));
  slurm().LoseNode(3);
  GoOn();
  const Finished finished = run->Finish();
  EXPECT_THAT(slurm().Ask({"scontrol", "show", "job", "-o", id}), HasSubstr("Restarts=0"));
  EXPECT_EQ(slurm().Jobs(), "");
  ExpectSame(finished);
}

// Slurm keeps the job although its batch script is lost.
TEST_F(SlurmTest, LostFirstNodeIsRequeued) {
  auto run = StandInTheMiddle({"--slurm-cpus-per-task", "2", "--slurm-partition", "main"});
  const std::string id = slurm().OnlyJob();
  slurm().KillBatch();
  slurm().LoseNode(1);
  // Three nodes are left, but the job needs four.
  slurm().WaitForProcesses("master", 0);
  slurm().ReturnNode(1);
  slurm().StartRequeued(id);
  const Finished finished = run->Finish();
  EXPECT_THAT(slurm().Ask({"scontrol", "show", "job", "-o", id}), HasSubstr("Restarts=1"));
  ExpectNothingLeft();
  ExpectSame(finished);
}

TEST_F(SlurmTest, RefusalOfSlurmIsShown) {
  const Finished many = DlSubmit({"run", "--master", "slurm[64]", "--data-dir", data_dir(), job()});
  EXPECT_EQ(many.exit_code, kFailed);
  EXPECT_THAT(many.errors, HasSubstr("sbatch exited with 1: sbatch: error: "));
  const Finished partition = DlSubmit(RunWords({"--slurm-partition", "gpu"}));
  EXPECT_EQ(partition.exit_code, kFailed);
  EXPECT_THAT(partition.errors, HasSubstr("invalid partition specified: gpu"));
  EXPECT_EQ(partition.result().value("exit_code", 0), kFailed);
}

// Needs no Slurm.
TEST(SlurmTarget, MistakesAreReported) {
  const TempFolder folder;
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {}));
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "--data-dir", folder / "data", job});
    return DlSubmit(words);
  };
  for (const char* flag : {"--slurm-partition", "--slurm-time", "--slurm-account"}) {
    const Finished elsewhere = run({"--master", "local[2]", flag, "4"});
    EXPECT_EQ(elsewhere.exit_code, kUsage) << flag;
    EXPECT_THAT(elsewhere.errors, HasSubstr("Slurm is not asked for local[2]"));
    EXPECT_THAT(elsewhere.errors, HasSubstr(flag));
    for (const char* value : {"a\nb", "a\rb"}) {
      const Finished bad = run({"--master", "slurm[2]", flag, value});
      EXPECT_EQ(bad.exit_code, kUsage) << flag;
      EXPECT_THAT(bad.errors, HasSubstr("is not a value for Slurm"));
    }
    EXPECT_EQ(run({"--master", "slurm[2]", absl::StrCat(flag, "=--uid=0")}).exit_code, kUsage);
  }
  EXPECT_EQ(run({"--master", "local[2]", "--slurm-memory", "1G"}).exit_code, kUsage);
  EXPECT_EQ(run({"--master", "local[2]", "--slurm-cpus-per-task", "2"}).exit_code, kUsage);
  EXPECT_EQ(run({"--master", "slurm[0]"}).exit_code, kUsage);
  EXPECT_EQ(run({"--master", "slurm[*]"}).exit_code, kUsage);
  EXPECT_EQ(run({"--master", "slurm[2000]"}).exit_code, kUsage);

  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder / "nothing").c_str(), 1);
  const Finished nowhere = run({"--master", "slurm[2]"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(nowhere.exit_code, kFailed);
  EXPECT_THAT(nowhere.errors, HasSubstr("there is no sbatch on the PATH"));
  EXPECT_THAT(nowhere.errors, HasSubstr("slurm-client"));

  const Finished outside = run({"--master", "slurm-batch[2]@" + folder / "run"});
  EXPECT_EQ(outside.exit_code, kInvalidConfig);
  EXPECT_THAT(outside.errors, HasSubstr("this process is not in a Slurm allocation"));
}

}  // namespace
}  // namespace dl::test
