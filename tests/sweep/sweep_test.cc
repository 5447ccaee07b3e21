// dl-submit sweep: decisions depend only on committed figures, on any cluster and after any kill.
#include <algorithm>
#include <csignal>
#include <map>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::test {
namespace {

using testing::HasSubstr;

// The decisions and the result of a sweep.
struct Outcome {
  Json rungs = Json::array();
  Json result;
};

Outcome OutcomeOf(const Finished& finished) {
  Outcome outcome{.result = finished.result()};
  for (const Json& line : finished.lines) {
    if (line.value("type", "") == "rung") outcome.rungs.push_back(line);
  }
  return outcome;
}

class SweepTest : public testing::Test {
 protected:
  // Flags of a sweep of eight jobs, of which two have fewer epochs than the others.
  std::vector<std::string> Words(const std::string& place, const std::string& value) const {
    return {"sweep",     job_,
            "--name",    "tuned",
            "--grid",    "training.epochs=2,5",
            "--grid",    "model.updater.momentum=0,0.9",
            "--grid",    "training.averaging_frequency=2,5",
            "--halving", "--json",
            place,       value};
  }
  std::vector<std::string> Local(const std::string& master, const std::string& data) const {
    std::vector<std::string> words = Words("--master", master);
    words.insert(words.end(), {"--data-dir", folder_ / data});
    return words;
  }
  // Runs the sweep undisturbed on local[2].
  Outcome Expected() const {
    const Finished finished = DlSubmit(Local("local[2]", "undisturbed"));
    DL_CHECK(finished.exit_code == 0);
    return OutcomeOf(finished);
  }
  int64_t JobsIn(const std::string& data) const {
    const Finished list = DlSubmit({"list", "--data-dir", folder_ / data, "-q"});
    return std::ranges::count(list.text, '\n');
  }

  const TempFolder folder_;
  const std::string job_ =
      WriteJob(folder_, "job.json", MakeSample(folder_, {.job = SampleJob::kMlpAverage}));
};

TEST_F(SweepTest, ClusterIsNotInTheDecisions) {
  const Outcome expected = Expected();
  ASSERT_EQ(expected.rungs.size(), 3);  // after epochs 1, 2 and 4
  EXPECT_EQ(expected.rungs[0]["kept"].size(), 4);
  EXPECT_EQ(expected.rungs[1]["kept"].size(), 2);
  EXPECT_EQ(expected.result["trials"].size(), 8);
  const Finished processes = DlSubmit(Local("local-cluster[2]", "processes"));
  ASSERT_EQ(processes.exit_code, 0) << processes.errors;
  EXPECT_EQ(OutcomeOf(processes).rungs, expected.rungs);
  EXPECT_EQ(OutcomeOf(processes).result, expected.result);
}

// Independently of the sweep, the figures of its jobs give the decisions, and the best job has the
// result that it has alone.
TEST_F(SweepTest, DecisionsFollowFromTheFiguresOfTheJobs) {
  const Outcome expected = Expected();
  std::map<int64_t, double> first;  // loss after the first epoch, by trial
  for (const Json& trial : expected.result["trials"]) {
    const Finished history =
        DlSubmit({"history", trial["job"], "--data-dir", folder_ / "undisturbed", "--json"});
    ASSERT_EQ(history.exit_code, 0) << history.errors;
    first[trial["trial"]] = history.result()["epochs"][0]["test"]["loss"];
  }
  std::vector<int64_t> order;
  for (const auto& [trial, loss] : first) order.push_back(trial);
  std::ranges::stable_sort(order, {}, [&](int64_t trial) { return first[trial]; });
  EXPECT_EQ(expected.rungs[0]["kept"], Json(std::vector(order.begin(), order.begin() + 4)));
  EXPECT_EQ(expected.rungs[0]["stopped"], Json(std::vector(order.begin() + 4, order.end())));

  const Json& best = expected.result["trials"][0];
  ASSERT_EQ(best["job"], expected.result["best_job"]);
  std::vector<std::string> words = {"run",      job_,         "--master",
                                    "local[1]", "--data-dir", folder_ / "alone",
                                    "--json",   "--set",      "name=tuned"};
  for (const auto& [path, value] : best["settings"].items())
    words.insert(words.end(), {"--set", absl::StrCat(path, "=", value.get<std::string>())});
  const Finished alone = DlSubmit(words);
  ASSERT_EQ(alone.exit_code, 0) << alone.errors;
  EXPECT_EQ(alone.result()["state_sha256"], best["state_sha256"]);
}

TEST_F(SweepTest, KilledCommandContinuesWithTheSameDecisions) {
  const Outcome expected = Expected();
  for (const int records : {5, 30, 60, 120}) {
    SCOPED_TRACE(records);
    const std::string data = absl::StrCat("killed-", records);
    {
      const ScopedFailPoints armed(absl::StrCat("master.durable=kill@", records).c_str());
      EXPECT_EQ(DlSubmit(Local("local[2]", data)).exit_code, 128 + SIGKILL);
    }
    const Finished again = DlSubmit(Local("local[2]", data));
    ASSERT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_EQ(OutcomeOf(again).rungs, expected.rungs);
    EXPECT_EQ(OutcomeOf(again).result, expected.result);
    EXPECT_EQ(JobsIn(data), 8);
  }
}

TEST_F(SweepTest, StandingClusterContinuesWithoutTheCommand) {
  const Outcome expected = Expected();
  StandingCluster cluster(folder_);
  cluster.StartMaster();
  cluster.StartExecutor();
  const std::vector<std::string> words = Words("--master", cluster.url());
  for (const int signal : {SIGKILL, SIGINT}) {
    std::vector<std::string> argv = words;
    argv.insert(argv.begin(), Binary("dl-submit"));
    const std::string log = folder_ / absl::StrCat("errors-", signal);
    auto command = Spawner::Real().Start(
        {.argv = std::move(argv), .out = ChildOutput::Pipe(), .err = ChildOutput::File(log)});
    DL_ASSERT_OK(command);
    DL_ASSERT_OK((*command)->ReadLine(kTimeout));  // the first job was submitted
    DL_ASSERT_OK((*command)->Signal(signal));
    const auto ended = (*command)->Wait(kTimeout);
    DL_ASSERT_OK(ended);
    if (signal == SIGINT) {
      EXPECT_EQ(ended->code, 130);
      EXPECT_THAT(ReadFile(log, 1 << 20).value_or(""), HasSubstr("--job-label sweep=tuned"));
    }
  }
  const Finished again = DlSubmit(words);
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(OutcomeOf(again).rungs, expected.rungs);
  EXPECT_EQ(OutcomeOf(again).result, expected.result);
  EXPECT_EQ(cluster.Ask("list").lines.size(), 8);
}

TEST_F(SweepTest, FlagsWithoutEffectAreUsageErrors) {
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {},
           {"--grid", "training.epochs=1", "--halving"},
           {"--grid", "training.workers=1,2", "--epochs", "1", "--halving"},
           {"--grid", "training.epochs=2", "--halving"},
           {"--grid", "training.workers=1,2", "--sweep-seed", "3"},
           {"--range", "training.workers=1:4"},
           {"--grid", "data.normalizer=none,\"none\""},
           {"--grid", "training.workers=1,2", "--metric", "acuracy"},
           {"--grid", "training.epochs=2,5", "--epochs", "3"},
           {"--grid", "model.updater={\"type\":\"sgd\",\"learning_rate\":0.1}", "--set",
            "model.updater.learning_rate=0.2"},
           {"--range", "seed=1:9", "--random", "2", "--set", "seed=3"},
           {"--grid", "training.workers=1,2", "--job-label", "trial=3"},
           {"--grid", "training.workers=1,2", "--master", "slurm[2]"}}) {
    std::vector<std::string> words = {"sweep", job_};
    words.insert(words.end(), flags.begin(), flags.end());
    const Finished finished = DlSubmit(words);
    EXPECT_EQ(finished.exit_code, 2) << testing::PrintToString(flags) << finished.errors;
    EXPECT_THAT(finished.errors, HasSubstr("try: "));
  }
}

// A label of a user and the sweep of another user are no jobs of this sweep.
TEST_F(SweepTest, JobsOfOthersAreNoTrials) {
  StandingCluster cluster(folder_);
  cluster.StartMaster();
  cluster.StartExecutor();
  DL_CHECK(cluster.Ask("submit", {job_, "-d", "--job-label", "sweep=tuned"}).exit_code == 0);
  const std::string token = folder_ / "other.token";
  const Finished created = DlSubmit({"cluster", "token", "create", "--data-dir", cluster.data_dir(),
                                     "--role", "submit", "--owner", "other", "-o", token});
  ASSERT_EQ(created.exit_code, 0) << created.errors;
  std::vector<std::string> words = {
      "sweep", job_, "--name", "tuned", "--grid", "training.epochs=1,2", "--master", cluster.url()};
  std::vector<std::string> others = words;
  others[5] = "training.epochs=1,3";
  others.insert(others.end(), {"--token-file", token});
  const Finished theirs = DlSubmit(others);
  EXPECT_EQ(theirs.exit_code, 0) << theirs.errors;
  const Finished mine = DlSubmit(words);
  EXPECT_EQ(mine.exit_code, 0) << mine.errors;
  EXPECT_EQ(cluster.Ask("list").lines.size(), 5);
}

TEST_F(SweepTest, OnlyOneOfTwoSweepsOfOneNameSubmitsJobs) {
  StandingCluster cluster(folder_);
  cluster.StartMaster();
  cluster.StartExecutor();
  constexpr int kSweeps = 6;
  std::vector<Finished> ended(kSweeps);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kSweeps; ++i) {
      threads.emplace_back([&, i] {
        ended[i] = DlSubmit({"sweep", job_, "--name", "tuned", "--grid",
                             absl::StrCat("seed=", 10 * i + 1, ",", 10 * i + 2), "--master",
                             cluster.url()});
      });
    }
  }
  int succeeded = 0;
  for (const Finished& sweep : ended) {
    if (sweep.exit_code == 0) {
      ++succeeded;
    } else {
      EXPECT_THAT(sweep.errors, HasSubstr("jobs with other settings"));
    }
  }
  EXPECT_EQ(succeeded, 1);
  EXPECT_EQ(cluster.Ask("list").lines.size(), 2);
}

TEST_F(SweepTest, WarningsOfSubmissionsAreShownOnce) {
  StandingCluster cluster(folder_);
  cluster.UseExecutorFlags({"--executor-label", "disk=ssd"});
  cluster.StartMaster();
  cluster.StartExecutor();
  cluster.WaitForExecutor(0);
  cluster.UseExecutorFlags({});
  cluster.StartExecutor();
  cluster.WaitForExecutor(1);
  const Finished sweep =
      DlSubmit({"sweep", job_, "--name", "tuned", "--grid", "training.epochs=1,2", "--needs",
                "disk=ssd", "--master", cluster.url(), "--json"});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.errors;
  std::vector<Json> warnings;
  for (const Json& line : sweep.lines)
    if (line.value("type", "") == "warning") warnings.push_back(line);
  ASSERT_EQ(warnings.size(), 1u) << sweep.text;
  EXPECT_EQ(warnings[0]["trial"], 1);
  EXPECT_THAT(warnings[0]["message"].get<std::string>(), HasSubstr("lack labels"));
}

TEST_F(SweepTest, OtherSettingsNeedAnotherName) {
  std::vector<std::string> words = {
      "sweep", job_, "--grid", "training.epochs=1,2", "--data-dir", folder_ / "data"};
  const Finished first = DlSubmit(words);
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.text, HasSubstr("training.epochs=2"));
  EXPECT_THAT(first.text, HasSubstr("best: "));
  words[3] = "training.epochs=1,3";
  const Finished other = DlSubmit(words);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.errors, HasSubstr("--name"));
  words.insert(words.end(), {"--name", "longer"});
  EXPECT_EQ(DlSubmit(words).exit_code, 0);
}

}  // namespace
}  // namespace dl::test
