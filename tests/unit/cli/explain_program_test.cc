// The command `explain` as a user runs it, and its hints.
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_explanation.h"
#include "cli/main.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Json Document(const Ended& ended) { return Json::parse(ended.out); }

TEST(ExplainProgram, DocumentHasFiguresOfOtherCommands) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder / "data"});
    return DlSubmit(words);
  };
  ASSERT_EQ(run({"run", job, "--set", "training.epochs=4"}).code, kSuccess);
  const Ended ended = run({"explain", "small-1"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  const Json document = Document(ended);
  const Json status = run({"status", "small-1", "--json"}).last;
  for (const char* member : {"job", "state", "reason", "metrics", "checkpoint", "state_sha256"})
    EXPECT_EQ(document[member], status[member]) << member;
  EXPECT_EQ(document["progress"]["rounds"], 12);
  EXPECT_EQ(document["progress"]["wall_seconds"], status["wall_seconds"]);
  const Json history =
      run({"history", "small-1", "--series", "train/loss,test/loss", "--points", "40", "--json"})
          .last;
  EXPECT_EQ(document["curves"], history["curves"]);
  ASSERT_FALSE(document["findings"].empty());
  for (const Json& finding : document["findings"])
    EXPECT_FALSE(finding.value("sentence", "").empty()) << finding;
  EXPECT_EQ(document["events"][0]["state"], "SUCCEEDED");
  EXPECT_THAT(document["hints"][1].value("command", ""),
              StartsWith("dl-submit evaluate --data-dir "));
  EXPECT_THAT(document["hints"][1].value("command", ""), HasSubstr(" small-1@12"));
}

TEST(ExplainProgram, KilledJobIsInterruptedAndResumes) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const std::string data = folder / "data";
  DlSubmit({"run", job, "--data-dir", data}, {"DL_FAIL_POINTS=master.durable=kill@4"});
  const Json document = Document(DlSubmit({"explain", "small-1", "--data-dir", data}));
  EXPECT_EQ(document["state"], "INTERRUPTED");
  const std::string command = document["hints"][0].value("command", "");
  EXPECT_THAT(command, StartsWith("dl-submit resume"));
  const std::vector<std::string> words = absl::StrSplit(command.substr(10), ' ');
  EXPECT_EQ(DlSubmit(words).code, kSuccess) << command;
}

TEST(ExplainProgram, ErrorIsJson) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const std::string data = folder / "data";
  ASSERT_EQ(DlSubmit({"run", job, "--data-dir", data}).code, kSuccess);
  const Ended unknown = DlSubmit({"explain", "smal-1", "--data-dir", data});
  EXPECT_EQ(unknown.code, kNotFound);
  EXPECT_EQ(unknown.last["exit_code"], kNotFound);
  EXPECT_THAT(unknown.last["error"].value("message", ""), HasSubstr("did you mean \"small-1\"?"));
}

std::vector<std::string> CommandsFor(Json job) {
  job["job"] = "lenet-1";
  const NextSteps next{.run_flags = " --master 'local[2]'", .store_flags = " --data-dir D"};
  std::vector<std::string> commands;
  for (const Json& hint : HintsFor(job, next)) commands.push_back(hint.value("command", ""));
  return commands;
}

TEST(JobHints, DependOnState) {
  EXPECT_THAT(CommandsFor({{"state", "RUNNING"}, {"checkpoint", "lenet-1@3"}}),
              ElementsAre("dl-submit attach --master 'local[2]' lenet-1"));
  EXPECT_THAT(CommandsFor({{"state", "QUEUED"}}), ElementsAre("dl-submit status --data-dir D"));
  EXPECT_THAT(CommandsFor({{"state", "PAUSED"}}),
              ElementsAre("dl-submit resume --master 'local[2]' lenet-1"));
  EXPECT_THAT(CommandsFor({{"state", "FAILED"}}),
              ElementsAre("dl-submit logs --data-dir D lenet-1"));
  EXPECT_THAT(CommandsFor({{"state", "FAILED"}, {"checkpoint", "lenet-1@3"}}),
              ElementsAre("dl-submit logs --data-dir D lenet-1",
                          "dl-submit resume --master 'local[2]' lenet-1"));
  EXPECT_THAT(CommandsFor({{"state", "CANCELLED"}, {"checkpoint", "lenet-1@3"}}),
              ElementsAre("dl-submit resume --master 'local[2]' lenet-1",
                          "dl-submit evaluate --data-dir D lenet-1@3",
                          "dl-submit export --data-dir D lenet-1@3"));
}

TEST(JobHints, CommandsAreAccepted) {
  for (const char* state : {"RUNNING", "QUEUED", "PAUSED", "FAILED", "REJECTED", "CANCELLED",
                            "SUCCEEDED", "INTERRUPTED"}) {
    for (const std::string& line : CommandsFor({{"state", state}, {"checkpoint", "lenet-1@3"}})) {
      std::vector<std::string> words = absl::StrSplit(line, ' ');
      words.erase(words.begin());
      bool found = false;
      for (const auto& command : AllCommands()) {
        if (command->name() != words[0]) continue;
        found = true;
        Flags flags("dl-submit", "");
        command->Declare(flags);
        DL_EXPECT_OK(flags.Parse({words.begin() + 1, words.end()}));
      }
      EXPECT_TRUE(found) << line;
    }
  }
}

}  // namespace
}  // namespace dl::cli
