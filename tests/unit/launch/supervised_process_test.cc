// Supervises real processes that end in every possible way.
#include "launch/clusters/supervised_process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/machine_memory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/clusters/ended_process.h"
#include "launch/pause.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

using testing::HasSubstr;

class SupervisedProcessTest : public testing::Test {
 protected:
  // Returns a shell that records its start and runs the script.
  SpawnOptions Shell(const std::string& script) const {
    return {.argv = {"sh", "-c", absl::StrCat("echo >> ", folder_ / "starts", "; ", script)}};
  }
  int64_t Starts() const {
    const std::string starts = ReadFile(folder_ / "starts", 1 << 20).value_or("");
    return std::ranges::count(starts, '\n');
  }
  // Returns a script that runs from the second start on.
  std::string Then(const std::string& script) const {
    return absl::StrCat("[ $(wc -l < ", folder_ / "starts", ") = 1 ] || ", script);
  }

  const test::TempFolder folder_;
};

TEST_F(SupervisedProcessTest, CrashedProcessIsRestarted) {
  for (const char* crash : {"kill -9 $$", "kill -SEGV $$", "exit 70"}) {
    std::filesystem::remove(folder_ / "starts");
    const auto ended = RunSupervised(Shell(absl::StrCat(Then("exit 3"), "; ", crash)));
    DL_ASSERT_OK(ended);
    EXPECT_EQ(*ended, ExitStatus{.code = 3}) << crash;
    EXPECT_EQ(Starts(), 2) << crash;
  }
}

TEST_F(SupervisedProcessTest, EndedProcessIsNotRestarted) {
  for (const int code : {0, 1, 2, 77, 78}) {
    std::filesystem::remove(folder_ / "starts");
    const auto ended = RunSupervised(Shell(absl::StrCat("exit ", code)));
    DL_ASSERT_OK(ended);
    EXPECT_EQ(*ended, ExitStatus{.code = code});
    EXPECT_EQ(Starts(), 1);
  }
}

// A process that such a signal ends is not restarted.
TEST_F(SupervisedProcessTest, SignalIsPassedOn) {
  std::thread stops([&] {
    while (Starts() == 0) Pause(std::chrono::milliseconds(10));
    kill(getpid(), SIGTERM);
  });
  const auto ended = RunSupervised(Shell("exec sleep 1000"));
  stops.join();
  DL_ASSERT_OK(ended);
  EXPECT_EQ(*ended, ExitStatus{.signal = SIGTERM});
  EXPECT_EQ(Starts(), 1);
}

TEST_F(SupervisedProcessTest, RepeatedlyCrashingProcessIsGivenUp) {
  const auto ended = RunSupervised(Shell("kill -9 $$"));
  EXPECT_TRUE(absl::IsUnavailable(ended.status())) << ended.status();
  EXPECT_THAT(ended.status().message(), HasSubstr("was killed by signal 9, 10 times in a row"));
  EXPECT_EQ(Starts(), 10);
}

TEST_F(SupervisedProcessTest, ErrorOfAnExecutorThatDoesNotStayUpIsThatOfItsLog) {
  SpawnOptions shell =
      Shell("printf 'error: no thread\\n  at: it\\n  try: Raise it\\n' >&2; exit 75");
  shell.err = ChildOutput::File(folder_ / "log");
  auto process = SupervisedProcess::Start(std::move(shell), SupervisedProcess::Restart::kAlways);
  DL_ASSERT_OK(process);
  Status status;
  while (status.ok()) {
    status = process->Check();
    Pause(std::chrono::milliseconds(1));
  }
  EXPECT_THAT(status.message(), HasSubstr("exited with 75, 10 times in a row: no thread"));
  EXPECT_EQ(ErrorWhere(status), folder_ / "log");
  EXPECT_THAT(ErrorRemedy(status), testing::StartsWith("Raise it. "));
}

TEST(DescribeEnd, KillUnderAMemoryLimitNamesTheLimit) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  rlimit half = before;
  half.rlim_cur = static_cast<rlim_t>(FindAvailableMemory().bytes / 2);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &half), 0);
  EXPECT_THAT(DescribeEnd({.signal = SIGKILL}),
              testing::StartsWith("was killed by signal 9, probably by ulimit -d of "));
  EXPECT_EQ(DescribeEnd({.code = 75}), "exited with 75");
  EXPECT_EQ(DescribeEnd({.signal = SIGTERM}), "was killed by signal 15");
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
}

}  // namespace
}  // namespace dl::launch
