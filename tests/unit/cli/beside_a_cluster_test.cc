// A run while another run uses local-cluster[N], in which a master process holds the folder. The
// result must be the same as with local[N].
#include <csignal>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

class BesideACluster : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", data_});
    return DlSubmit(std::move(words));
  }
  // Starts a run that trains until it is stopped. Returns after its first round.
  std::unique_ptr<ChildProcess> RunForever(const std::string& name) {
    auto run = StartDlSubmit({"run", job_, "--name", name, "--epochs", "1000000", "--json",
                              "--master", "local-cluster[1]", "--data-dir", data_});
    for (std::string line;
         run != nullptr && line.find("\"type\":\"round\"") == std::string::npos;) {
      auto read = run->ReadLine(kTimeout);
      DL_EXPECT_OK(read);
      if (!read.ok()) return nullptr;
      line = *read;
    }
    return run;
  }
  // Starts a run that waits for the process `whom`, as its first line must say.
  std::unique_ptr<ChildProcess> WaitingRun(const std::string& master, pid_t whom) {
    const char* bin = std::getenv("DL_BIN");
    auto waiting = Spawner::Real().Start(
        {.argv = {"/bin/sh", "-c",
                  absl::StrCat("exec ", bin == nullptr ? "build/release/bin" : bin,
                               "/dl-submit run ", job_, " --name second --master '", master,
                               "' --data-dir ", data_, " 2>&1")},
         .out = ChildOutput::Pipe()});
    DL_EXPECT_OK(waiting);
    if (!waiting.ok()) return nullptr;
    EXPECT_THAT((*waiting)->ReadLine(kTimeout).value_or(""),
                HasSubstr(absl::StrCat("waiting for process ", whom, " (dl-submit run ")));
    return *std::move(waiting);
  }
  int EndOf(ChildProcess& child) {
    const auto said = child.ReadAll(kTimeout, 1 << 28);
    DL_EXPECT_OK(said);
    const int code = child.Wait(kTimeout).value_or(ExitStatus{.code = -1}).code;
    if (code == kTryAgain || code == kUnreachable) ADD_FAILURE() << said.value_or("");
    return code;
  }
  test::TempFolder folder_;
  const std::string job_ = WriteSmallJob(folder_.path());
  const std::string data_ = folder_ / "data";
};

TEST_F(BesideACluster, SecondRunWaits) {
  auto first = RunForever("first");
  ASSERT_NE(first, nullptr);
  auto second = WaitingRun("local-cluster[2]", first->pid());
  ASSERT_NE(second, nullptr);
  auto third = WaitingRun("local[1]", first->pid());
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(Run({"list", "-q"}).out, "first-1\n") << "nobody's job is torn down under it";
  EXPECT_EQ(Run({"cancel", "first-1"}).code, kSuccess);
  EXPECT_EQ(EndOf(*first), kCancelled);
  EXPECT_EQ(EndOf(*second), kSuccess);
  EXPECT_EQ(EndOf(*third), kSuccess);
  EXPECT_EQ(Run({"list", "-q"}).out, "first-1\nsecond-2\nsecond-3\n");
}

// Two runs wait. The first gets the folder and the other continues to wait. It must not report that
// a master did not start.
TEST_F(BesideACluster, TwoWaitingRunsRunInTurn) {
  auto first = RunForever("first");
  ASSERT_NE(first, nullptr);
  auto second = WaitingRun("local-cluster[1]", first->pid());
  ASSERT_NE(second, nullptr);
  auto third = WaitingRun("local-cluster[1]", first->pid());
  ASSERT_NE(third, nullptr);
  DL_ASSERT_OK(first->Signal(SIGTERM));
  EXPECT_EQ(EndOf(*first), kTerminated);
  EXPECT_EQ(EndOf(*second), kSuccess);
  EXPECT_EQ(EndOf(*third), kSuccess);
}

TEST_F(BesideACluster, WaitingRunCanBeInterrupted) {
  auto first = RunForever("first");
  ASSERT_NE(first, nullptr);
  auto second = WaitingRun("local-cluster[1]", first->pid());
  ASSERT_NE(second, nullptr);
  DL_ASSERT_OK(second->Signal(SIGINT));
  EXPECT_THAT(second->ReadAll(kTimeout, 1 << 20).value_or(""),
              HasSubstr("interrupted while waiting"));
  EXPECT_EQ(second->Wait(kTimeout)->code, kInterrupted);
  EXPECT_THAT(Run({"list"}).out, HasSubstr("RUNNING")) << "the first one goes on";
}

// If a run is killed, its master ends too. The run that waited continues the job.
TEST_F(BesideACluster, WaitingRunContinuesAfterKilledRun) {
  auto first = RunForever("first");
  ASSERT_NE(first, nullptr);
  auto second = WaitingRun("local-cluster[1]", first->pid());
  ASSERT_NE(second, nullptr);
  DL_ASSERT_OK(first->Signal(SIGKILL));
  DL_ASSERT_OK(first->Wait(kTimeout));
  EXPECT_THAT(second->ReadAll(kTimeout, 1 << 28).value_or(""),
              HasSubstr("first-1 is unfinished and goes on here too"));
  EXPECT_EQ(second->Wait(kTimeout)->code, kSuccess);
  EXPECT_THAT(Run({"list"}).out, HasSubstr("INTERRUPTED"));
}

}  // namespace
}  // namespace dl::cli
