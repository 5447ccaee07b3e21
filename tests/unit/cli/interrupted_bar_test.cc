// A command draws a progress bar on a terminal and receives a signal meanwhile.
#include <signal.h>

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/pseudo_terminal.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class InterruptedBar : public testing::TestWithParam<std::vector<int>> {
 protected:
  // Creates a job with one epoch of many rounds, so that no line about an epoch appears between two
  // bars.
  void SetUp() override {
    std::ofstream rows(folder_ / "rows.csv");
    rows << "x,y,label\n";
    for (int i = 0; i < 300'000; ++i) rows << i % 7 << "," << i % 11 << "," << i % 3 << "\n";
    rows.close();
    Json job = *ParseJson(*ReadFile(job_, 1 << 20), job_);
    job["training"] = {{"workers", 1}, {"batch_size", 1}, {"averaging_frequency", 1}};
    job["data"].erase("test");
    std::ofstream(job_) << JsonText(job);
  }

  test::TempFolder folder_;
  const std::string job_ = WriteSmallJob(folder_.path());
  PseudoTerminal terminal_{100, 24};
};

TEST_P(InterruptedBar, LeavesNoHalfBar) {
  const char* bin = std::getenv("DL_BIN");
  auto run = Spawner::Real().Start(
      {.argv = {absl::StrCat(bin == nullptr ? "build/release/bin" : bin, "/dl-submit"), "run", job_,
                "--data-dir", folder_ / "data"},
       .env = {"HOME=" + folder_.path(), "TERM=xterm"},
       .out = ChildOutput::Discard(),
       .err = ChildOutput::File(terminal_.device())});
  DL_ASSERT_OK(run);
  ASSERT_TRUE(terminal_.ReadUntil("\rsmall-1", 3)) << terminal_.text();
  for (const int signal : GetParam()) DL_ASSERT_OK((*run)->Signal(signal));
  const auto ended = (*run)->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  // If two signals arrive together, either may count as the second.
  EXPECT_THAT(GetParam(), Contains(ended->code - 128));
  terminal_.ReadRest();
  const std::vector<std::string> screen = terminal_.Screen();
  for (const std::string& line : screen) {
    EXPECT_THAT(line, Not(HasSubstr("[>"))) << absl::StrJoin(screen, "\n");
    EXPECT_THAT(line, Not(HasSubstr("round "))) << absl::StrJoin(screen, "\n");
  }
  EXPECT_EQ(screen.back(), "") << "where the shell's prompt goes";
  const std::string& text = terminal_.text();
  ASSERT_NE(text.rfind("\x1b]9;4;1;"), std::string::npos);
  EXPECT_LT(text.rfind("\x1b]9;4;1;"), text.rfind("\x1b]9;4;0\x1b\\\x1b[23;0t"));
}

// One signal: the job writes a checkpoint and is cancelled. A second signal ends the process at
// once. It is of another kind, because the kernel merges two pending signals of one kind.
INSTANTIATE_TEST_SUITE_P(Signals, InterruptedBar,
                         testing::Values(std::vector{SIGINT}, std::vector{SIGINT, SIGTERM}),
                         [](const auto& info) {
                           return info.param.size() == 1 ? "OneCtrlC" : "ASecondSignal";
                         });

}  // namespace
}  // namespace dl::cli
