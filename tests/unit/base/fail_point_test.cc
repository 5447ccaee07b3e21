#include "base/fail_point.h"

#include <signal.h>

#include <cstdlib>

#include "base/process.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

using namespace std::chrono_literals;
using test::IsError;

struct FailPointTest : ::testing::Test {
  ~FailPointTest() override { (void)ArmFailPoints(""); }
};

TEST_F(FailPointTest, NothingArmedNothingFails) { DL_EXPECT_OK(FailPoint("a")); }

TEST_F(FailPointTest, FailsAtItsCountOnly) {
  DL_EXPECT_OK(ArmFailPoints("a=error@2;b=error"));
  DL_EXPECT_OK(FailPoint("a"));
  EXPECT_THAT(FailPoint("a"), IsError(absl::StatusCode::kInternal, "(at a)"));
  DL_EXPECT_OK(FailPoint("a"));
  EXPECT_FALSE(FailPoint("b").ok());
  DL_EXPECT_OK(FailPoint("c"));
  EXPECT_EQ(FailPointHits("a"), 3);
  EXPECT_EQ(FailPointHits("c"), 0);
}

TEST_F(FailPointTest, FailsAtEachHitFromItsCount) {
  DL_EXPECT_OK(ArmFailPoints("a=error@2+"));
  DL_EXPECT_OK(FailPoint("a"));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(FailPoint("a").ok());
}

TEST_F(FailPointTest, InvalidListFailsEachPoint) {
  for (const char* list :
       {"a", "a=", "a=die", "a=error@0", "a=error@x", "a=error@", "=error", "b=error;a=kil@1"}) {
    EXPECT_THAT(ArmFailPoints(list), IsError(absl::StatusCode::kInvalidArgument, "fail point"))
        << list;
    EXPECT_FALSE(FailPoint("unrelated").ok()) << list;
  }
}

struct ChildRun {
  std::string output;
  ExitStatus status;
};

std::unique_ptr<ChildProcess> StartPoints(const std::string& points) {
  auto child = Spawner::Real().Start(
      {.argv = {std::string(std::getenv("DL_BIN")) + "/base_test_child", "points"},
       .env = {"DL_FAIL_POINTS=" + points},
       .out = ChildOutput::Pipe()});
  EXPECT_THAT(child, test::IsOk());
  return *std::move(child);
}

TEST_F(FailPointTest, EnvironmentArmsProcess) {
  auto child = StartPoints("child.step=error@4");
  EXPECT_EQ(*child->ReadAll(60s, 1000), "1 ok\n2 ok\n3 ok\n4 failed\n5 ok\n");
}

TEST_F(FailPointTest, KillIsAKillAtThatPoint) {
  auto child = StartPoints("child.step=kill@3");
  EXPECT_EQ(*child->ReadAll(60s, 1000), "1 ok\n2 ok\n");
  EXPECT_EQ(*child->Wait(60s), ExitStatus{.signal = SIGKILL});
}

TEST_F(FailPointTest, AbortEndsTheProcessAsABugWould) {
  auto child = StartPoints("child.step=abort@2");
  EXPECT_EQ(*child->ReadAll(60s, 1000), "1 ok\n");
  EXPECT_EQ(*child->Wait(60s), ExitStatus{.signal = SIGABRT});
}

TEST_F(FailPointTest, HangHoldsTheThreadForEver) {
  auto child = StartPoints("child.step=hang@2");
  EXPECT_EQ(*child->ReadLine(60s), "1 ok");
  EXPECT_THAT(child->ReadLine(200ms), IsError(absl::StatusCode::kDeadlineExceeded, "no output"));
  DL_EXPECT_OK(child->Signal(SIGCONT));  // it is not stopped
  EXPECT_THAT(child->ReadLine(200ms), IsError(absl::StatusCode::kDeadlineExceeded, "no output"));
}

TEST_F(FailPointTest, FileLimitsItToOneProcess) {
  const test::TempFolder folder;
  const std::string points = "child.step=error@2+" + folder / "once";
  EXPECT_EQ(*StartPoints(points)->ReadAll(60s, 1000), "1 ok\n2 failed\n3 ok\n4 ok\n5 ok\n");
  EXPECT_EQ(*StartPoints(points)->ReadAll(60s, 1000), "1 ok\n2 ok\n3 ok\n4 ok\n5 ok\n");
}

TEST_F(FailPointTest, StopHoldsUntilContinued) {
  auto child = StartPoints("child.step=stop@2");
  EXPECT_EQ(*child->ReadLine(60s), "1 ok");
  EXPECT_THAT(child->ReadLine(200ms), IsError(absl::StatusCode::kDeadlineExceeded, "no output"));
  DL_EXPECT_OK(child->Signal(SIGCONT));
  EXPECT_EQ(*child->ReadLine(60s), "2 ok");
}

}  // namespace
}  // namespace dl
