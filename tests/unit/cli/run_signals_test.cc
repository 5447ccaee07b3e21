// Signals that end a run or request a checkpoint, with real processes.
#include <signal.h>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

class RunSignals : public testing::Test {
 protected:
  // Starts a job without checkpoints of its own that trains longer than a test runs.
  std::unique_ptr<ChildProcess> StartRun(const std::string& data_dir,
                                         const std::vector<std::string>& more = {}) const {
    Json spec = *ParseJson(ReadFile(WriteSmallJob(folder_.path()), 1 << 20).value_or(""), "job");
    spec["training"]["epochs"] = 1'000'000;
    spec["training"]["checkpoint"] = {{"every_epoch", false}};
    const std::string job = folder_.Write("long.json", spec.dump());
    std::vector<std::string> words = {"run", job, "--json", "--data-dir", data_dir};
    words.insert(words.end(), more.begin(), more.end());
    auto child = StartDlSubmit(words);
    if (child != nullptr) WaitForLine(*child, "\"epoch\"");
    return child;
  }
  static std::string WaitForLine(ChildProcess& child, const std::string& piece) {
    for (;;) {
      const auto line = child.ReadLine(kTimeout);
      if (!line.ok()) return "";
      if (line->find(piece) != std::string::npos) return *line;
    }
  }
  const test::TempFolder folder_;
  const std::string data_dir_ = folder_ / "D";
};

TEST_F(RunSignals, EachSignalCancelsJobWithCheckpoint) {
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGTERM, SIGXCPU}) {
    const test::TempFolder folder;
    const auto run = StartRun(folder.path());
    ASSERT_NE(run, nullptr);
    ASSERT_TRUE(run->Signal(signal).ok());
    if (signal == SIGHUP) (void)run->Signal(signal);  // as a terminal sends it when it closes
    const std::string result = WaitForLine(*run, "\"result\"");
    EXPECT_THAT(result, HasSubstr("CANCELLED")) << signal;
    EXPECT_EQ(run->Wait(kTimeout)->code, 128 + signal);
    const Ended list = DlSubmit({"checkpoints", "small-1", "--data-dir", folder.path()});
    EXPECT_THAT(list.out, HasSubstr("small-1@")) << list.err;
  }
}

TEST_F(RunSignals, CheckpointSignalWritesCheckpoint) {
  const auto run = StartRun(data_dir_, {"--signal-checkpoint", "USR1"});
  ASSERT_NE(run, nullptr);
  ASSERT_TRUE(run->Signal(SIGUSR1).ok());
  EXPECT_NE(WaitForLine(*run, "\"type\":\"checkpoint\""), "");
  EXPECT_NE(WaitForLine(*run, "\"epoch\""), "") << "it goes on";
  ASSERT_TRUE(run->Signal(SIGUSR2).ok());
  EXPECT_NE(WaitForLine(*run, "CANCELLED"), "");
  EXPECT_EQ(run->Wait(kTimeout)->code, 128 + SIGUSR2);
}

TEST_F(RunSignals, IgnoredHangupStaysIgnored) {
  const std::string job = WriteSmallJob(folder_.path());
  const Ended ended =
      Shell(absl::StrCat("trap '' HUP; \"$DL\" run -q ", job, " --epochs 200 --data-dir ",
                         data_dir_, " & kill -HUP $!; wait $!"));
  EXPECT_EQ(ended.code, kSuccess) << ended.out;
}

TEST_F(RunSignals, UnsupportedCheckpointSignalIsRefused) {
  EXPECT_EQ(DlSubmit({"run", WriteSmallJob(folder_.path()), "--signal-checkpoint", "KILL"}).code,
            kUsage);
}

}  // namespace
}  // namespace dl::cli
