// Real jobs that share real executors.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kNotFound = 4;

class SharingTest : public testing::Test {
 protected:
  void SetUp() override {
    job_ = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 3}));
    expected_ = RunReference(job_).value("state_sha256", "");
    ASSERT_EQ(expected_.size(), 64u);
    ASSERT_NO_FATAL_FAILURE(cluster_.StartMaster());
  }
  std::string Submit(std::vector<std::string> words) {
    words.insert(words.begin(), {"submit", "--master", cluster_.url(), "-d", "-q", job_});
    const Finished finished = DlSubmit(words);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    errors_ = finished.errors;
    return finished.text.substr(0, finished.text.find('\n'));
  }
  void ExpectRightEnd(const std::string& id) {
    const Json result = cluster_.Wait(id);
    EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
    EXPECT_EQ(result.value("state_sha256", ""), expected_);
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string job_, expected_, errors_;
};

TEST_F(SharingTest, SubmissionWarnsIfSlotsDoNotFitWorkers) {
  cluster_.StartExecutor();
  cluster_.WaitForExecutor(0);
  const std::string first = Submit({});
  ExpectRightEnd(first);  // from now on the executors' contract is known
  ExpectRightEnd(Submit({}));
  EXPECT_THAT(errors_, HasSubstr("warning: 3 workers and 1 slot: a round takes 3 turns"));
  ExpectRightEnd(Submit({"--max-executors", "1"}));
  EXPECT_THAT(errors_, Not(HasSubstr("slot")));
}

// Sharing executors does not change the result of any job.
TEST_F(SharingTest, JobsWaitForLabelsAndTheirTurn) {
  cluster_.UseExecutorFlags({"--executor-label", "zone=a"});
  cluster_.StartExecutor();
  cluster_.WaitForExecutor(0);
  const std::string needy = Submit({"--needs", "zone=b", "--job-label", "team=x"});
  EXPECT_THAT(errors_, HasSubstr("all registered executors lack labels"));
  const std::string one = Submit({"--max-executors", "1", "--priority", "-5"});
  const std::string last = Submit({"--after", one});
  ExpectRightEnd(one);
  ExpectRightEnd(last);
  const Json waits = cluster_.Job(needy);
  EXPECT_EQ(waits.value("state", ""), "QUEUED") << waits.dump();
  EXPECT_THAT(waits.value("message", ""), HasSubstr("zone=b"));
  EXPECT_EQ(waits.at("queue").at("position"), 1);
  const Finished listed = cluster_.Ask("list", {"--job-label", "team=x"});
  ASSERT_EQ(listed.lines.size(), 1u) << listed.text;
  EXPECT_EQ(listed.lines[0].value("job", ""), needy);
  EXPECT_TRUE(cluster_.Ask("list", {"--owner", "nobody-here"}).lines.empty());
  EXPECT_THAT(DlSubmit({"status", "--master", cluster_.url(), one}).text,
              HasSubstr("executors     at most 1"));
  cluster_.UseExecutorFlags({"--executor-label", "zone=b"});
  cluster_.StartExecutor();
  ExpectRightEnd(needy);
}

// It finishes its units and its process ends. The job continues on other executors.
TEST_F(SharingTest, DrainedExecutorEnds) {
  cluster_.UseExecutorFlags({"--name", "leaver"});
  cluster_.StartExecutor();
  cluster_.WaitForExecutor(0);
  const std::string id =
      cluster_.Submit(WriteJob(folder_, "long", MakeSample(folder_, {.epochs = 20})));
  cluster_.WaitForRound(id, 2);
  const Finished drained = cluster_.Ask("cluster", {"drain", "leaver"});
  EXPECT_EQ(drained.exit_code, 0) << drained.errors;
  EXPECT_EQ(drained.result().at("executors"), Json{"leaver"});
  EXPECT_EQ(cluster_.WaitForExecutorEnd(0), 0);
  EXPECT_THAT(cluster_.ExecutorLog(), HasSubstr("as the master asks"));
  EXPECT_EQ(cluster_.Ask("cluster", {"drain", "leaver"}).exit_code, kNotFound);
  cluster_.UseExecutorFlags({});
  cluster_.StartExecutor();
  const Json result = cluster_.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(cluster_.Job(id).value("expired_leases", -1), 0) << "nothing of its work was lost";
}

TEST_F(SharingTest, FlagsWithoutEffectAreRefused) {
  const auto refuse = [&](std::vector<std::string> words, const char* what) {
    words.insert(words.begin(), {"run", "--data-dir", folder_ / "local", job_});
    const Finished refused = DlSubmit(words);
    EXPECT_EQ(refused.exit_code, kUsage) << refused.errors;
    EXPECT_THAT(refused.errors, HasSubstr(what));
  };
  refuse({"--master", "local[2]", "--needs", "zone=b"}, "have no labels");
  refuse({"--master", "local[2]", "--max-executors", "1"}, "one executor with N slots");
  refuse({"--master", "local[2]", "--job-label", "team"}, "KEY=VALUE");
  refuse({"--master", "local[2]", "--priority", "101"}, "100");
  EXPECT_EQ(DlSubmit({"submit", "--master", cluster_.url(), job_, "--after", "nobody-7"}).exit_code,
            kNotFound);
  EXPECT_EQ(DlSubmit({"executor", "--master", cluster_.url(), "--executor-label", "a"}).exit_code,
            kUsage);
}

}  // namespace
}  // namespace dl::test
