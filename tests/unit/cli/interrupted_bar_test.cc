// A command draws a progress bar on a terminal and receives a signal meanwhile.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// A pseudo-terminal of 100 columns that records what is written to it.
class Terminal {
 public:
  Terminal() : fd_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    DL_CHECK(fd_ >= 0 && grantpt(fd_) == 0 && unlockpt(fd_) == 0);
    char name[64];
    DL_CHECK(ptsname_r(fd_, name, sizeof name) == 0);
    device_ = name;
    // Keeps the terminal open, so that it and its size persist while no process uses it.
    held_ = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    const winsize size = {.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    DL_CHECK(held_ >= 0 && ioctl(held_, TIOCSWINSZ, &size) == 0);
  }
  ~Terminal() {
    close(held_);
    close(fd_);
  }
  const std::string& device() const { return device_; }
  const std::string& text() const { return text_; }

  // Reads until the text contains `piece` that many times. Returns false if this takes too long.
  bool ReadUntil(const std::string& piece, int times) {
    for (const Instant limit = Clock::Real().Now() + kPatience; Count(piece) < times;) {
      if (Clock::Real().Now() > limit) return false;
      ReadMore(1000);
    }
    return true;
  }
  // Reads what is available without waiting.
  void ReadRest() {
    while (ReadMore(0)) {
    }
  }

  // Returns the lines of the screen after the text was written.
  std::vector<std::string> Screen() const {
    std::vector<std::string> lines = {""};
    size_t column = 0;
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\r') {
        column = 0;
      } else if (text_[i] == '\n') {
        lines.emplace_back();
      } else if (text_.compare(i, 3, "\x1b[K") == 0) {
        lines.back().resize(std::min(column, lines.back().size()));
        i += 2;
      } else {
        lines.back().resize(std::max(lines.back().size(), column + 1), ' ');
        lines.back()[column++] = text_[i];
      }
    }
    return lines;
  }

 private:
  int Count(const std::string& piece) const {
    int count = 0;
    for (size_t at = text_.find(piece); at != std::string::npos; at = text_.find(piece, at + 1))
      ++count;
    return count;
  }
  bool ReadMore(int timeout_ms) {
    pollfd ready = {.fd = fd_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, timeout_ms) <= 0 || (ready.revents & POLLIN) == 0) return false;
    char bytes[4096];
    const ssize_t count = read(fd_, bytes, sizeof bytes);
    if (count > 0) text_.append(bytes, static_cast<size_t>(count));
    return count > 0;
  }

  int fd_ = -1, held_ = -1;
  std::string device_, text_;
};

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
  Terminal terminal_;
};

TEST_P(InterruptedBar, LeavesNoHalfBar) {
  const char* bin = std::getenv("DL_BIN");
  auto run = Spawner::Real().Start(
      {.argv = {absl::StrCat(bin == nullptr ? "build/release/bin" : bin, "/dl-submit"), "run", job_,
                "--data-dir", folder_ / "data"},
       .env = {"HOME=" + folder_.path()},
       .out = ChildOutput::Discard(),
       .err = ChildOutput::File(terminal_.device())});
  DL_ASSERT_OK(run);
  ASSERT_TRUE(terminal_.ReadUntil("\rsmall-1", 3)) << terminal_.text();
  for (const int signal : GetParam()) DL_ASSERT_OK((*run)->Signal(signal));
  const auto ended = (*run)->Wait(kPatience);
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
