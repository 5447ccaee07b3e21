// The commands in the sentences of remedies exist, and name the job.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/main.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/remedy_text.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

using rpc::RemedyKind;

// Commands without the program, and other flags that a sentence names.
const std::map<RemedyKind, std::vector<std::string>>& Expected() {
  static const auto& expected = *new std::map<RemedyKind, std::vector<std::string>>{
      {RemedyKind::kListJobs, {"list"}},
      {RemedyKind::kListCheckpoints, {"checkpoints lenet-1"}},
      {RemedyKind::kListExecutors, {"status"}},
      {RemedyKind::kShowJob, {"status lenet-1"}},
      {RemedyKind::kShowQueue, {"status lenet-1"}},
      {RemedyKind::kFollow, {"attach lenet-1"}},
      {RemedyKind::kResume, {"resume lenet-1"}},
      {RemedyKind::kResumeWithMoreMemory, {"resume lenet-1"}},
      {RemedyKind::kResumeOther, {"resume lenet-1"}},
      {RemedyKind::kResumeFirst, {"resume lenet-1"}},
      {RemedyKind::kResumeThenRepeat, {"resume lenet-1"}},
      {RemedyKind::kRebind, {"resume --rebind --isa avx2 lenet-1"}},
      {RemedyKind::kCancelFirst, {"cancel lenet-1"}},
      {RemedyKind::kFreePausedJobs, {"list"}},
      {RemedyKind::kBeginFrom, {}},
      {RemedyKind::kSubmitAgain, {"inspect --spec lenet-1"}},
      {RemedyKind::kUseSameModel, {"inspect lenet-1"}},
      {RemedyKind::kDivideToken, {"cluster token create --role execute"}},
      {RemedyKind::kTokenPerMachine, {"cluster token create --role execute --executor NAME"}},
      {RemedyKind::kLargerExecutor, {}},
      {RemedyKind::kChooseIsa, {"resume --rebind --isa avx2 lenet-1"}},
      {RemedyKind::kImportFirst, {}},
  };
  return expected;
}

std::string SentenceOf(RemedyKind kind, std::string_view flags = "") {
  return rpc::RemedyText(
      {.kind = kind, .job = "lenet-1", .round = 3, .isa = "avx2", .mebibytes = 64}, flags);
}

// Returns what follows "dl-submit " up to the end of the sentence.
std::vector<std::string> CommandsIn(const std::string& sentence) {
  std::vector<std::string> commands;
  const std::vector<std::string> parts = absl::StrSplit(sentence, "dl-submit ");
  for (size_t i = 1; i < parts.size(); ++i)
    commands.push_back(parts[i].substr(0, parts[i].find(". ")));
  return commands;
}

Status Parse(const std::string& line) {
  const std::vector<std::unique_ptr<Command>> commands = AllCommands();
  std::vector<std::string> names;
  for (const auto& command : commands) names.emplace_back(command->name());
  const StatusOr<CommandLine> split = SplitCommandLine(absl::StrSplit(line, ' '), names);
  if (!split.ok()) return split.status();
  for (const auto& command : commands) {
    if (command->name() != split->command) continue;
    Flags flags("dl-submit", "");
    command->Declare(flags);
    return flags.Parse(split->words);
  }
  return absl::InternalError(line);
}

TEST(RemedyCommands, EachKindNamesItsCommand) {
  for (int kind = 1; rpc::IsRemedyKind(kind); ++kind) {
    const auto remedy = static_cast<RemedyKind>(kind);
    const std::string sentence = SentenceOf(remedy);
    ASSERT_TRUE(Expected().contains(remedy)) << sentence;
    EXPECT_EQ(CommandsIn(sentence), Expected().at(remedy)) << sentence;
  }
}

TEST(RemedyCommands, EachCommandIsAccepted) {
  for (const auto& [kind, commands] : Expected()) {
    for (const std::string& command : commands) DL_EXPECT_OK(Parse(command));
  }
  EXPECT_FALSE(Parse("resume --rebindd lenet-1").ok());
}

// Pages add the flags that find the master or its data folder.
TEST(RemedyCommands, EachCommandTakesTheFlagsOfPages) {
  for (const std::string flags : {" --master dl://127.0.0.1:7077", " --data-dir data"}) {
    for (const auto& [kind, commands] : Expected()) {
      std::vector<std::string> with_flags = commands;
      for (std::string& command : with_flags) {
        command += flags;
        DL_EXPECT_OK(Parse(command));
      }
      EXPECT_EQ(CommandsIn(SentenceOf(kind, flags)), with_flags);
    }
  }
}

TEST(RemedyCommands, RebindOfPortableKernelsNamesNoInstructionSet) {
  const std::string sentence =
      rpc::RemedyText({.kind = RemedyKind::kRebind, .job = "lenet-1"}, " --data-dir data");
  EXPECT_EQ(sentence, "Cancel the job and run: dl-submit resume --rebind lenet-1 --data-dir data");
  for (const std::string& command : CommandsIn(sentence)) DL_EXPECT_OK(Parse(command));
}

// These sentences name flags of a new submission, and not a whole command.
TEST(RemedyCommands, OtherSentencesNameFlagsWithValues) {
  EXPECT_THAT(SentenceOf(RemedyKind::kBeginFrom), testing::HasSubstr("--resume-from lenet-1@3"));
  EXPECT_THAT(SentenceOf(RemedyKind::kLargerExecutor), testing::HasSubstr("--memory 64M"));
  EXPECT_THAT(SentenceOf(RemedyKind::kChooseIsa), testing::HasSubstr("--isa avx2 (training.isa)"));
}

}  // namespace
}  // namespace dl::cli
