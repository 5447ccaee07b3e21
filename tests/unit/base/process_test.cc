#include "base/process.h"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 lacks the extern "C"
}

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <cstdlib>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/thread.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

using namespace std::chrono_literals;
using test::IsError;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Duration kTimeout = 10min;  // a bound for a broken machine, not an expectation

std::unique_ptr<ChildProcess> Shell(const std::string& script, SpawnOptions options = {}) {
  options.argv = {"sh", "-c", script};
  if (options.out.to == ChildOutput::To::kInherit) options.out = ChildOutput::Pipe();
  auto child = Spawner::Real().Start(options);
  EXPECT_THAT(child, test::IsOk());
  return *std::move(child);
}

std::string TestChild() { return std::string(std::getenv("DL_BIN")) + "/base_test_child"; }

TEST(Process, ReportsExitCodeAndSignal) {
  EXPECT_EQ(*Shell("exit 7")->Wait(kTimeout), ExitStatus{.code = 7});
  EXPECT_EQ(*Shell("kill -9 $$")->Wait(kTimeout), ExitStatus{.signal = 9});
  EXPECT_EQ(ToString(ExitStatus{.signal = 9}), "was killed by signal 9");
  EXPECT_EQ(ToString(ExitStatus{.code = 3}), "exited with 3");
}

TEST(Process, WaitIsBoundedAndRepeatable) {
  auto child = Shell("exec sleep 1000");
  EXPECT_THAT(child->Wait(0s), IsError(absl::StatusCode::kDeadlineExceeded, "still runs"));
  DL_EXPECT_OK(child->Signal(SIGKILL));
  EXPECT_EQ(*child->Wait(kTimeout), ExitStatus{.signal = SIGKILL});
  EXPECT_EQ(*child->Wait(0s), ExitStatus{.signal = SIGKILL});
  EXPECT_THAT(child->Signal(SIGKILL), IsError(absl::StatusCode::kNotFound, "signal"));
}

TEST(Process, LinesOfOutputArriveOneByOne) {
  auto child = Shell("echo one; echo; printf last");
  EXPECT_EQ(*child->ReadLine(kTimeout), "one");
  EXPECT_EQ(*child->ReadLine(kTimeout), "");
  EXPECT_EQ(*child->ReadLine(kTimeout), "last");
  EXPECT_THAT(child->ReadLine(kTimeout), IsError(absl::StatusCode::kOutOfRange, "ended"));
}

TEST(Process, OutputIsBounded) {
  EXPECT_THAT(Shell("cat /dev/zero")->ReadAll(kTimeout, 10'000),
              IsError(absl::StatusCode::kResourceExhausted, "10000"));
  EXPECT_THAT(Shell("cat /dev/zero")->ReadLine(kTimeout, 10'000),
              IsError(absl::StatusCode::kResourceExhausted, "10000"));
  EXPECT_THAT(Shell("exec sleep 1000")->ReadLine(1ms),
              IsError(absl::StatusCode::kDeadlineExceeded, "no output"));
}

TEST(Process, EnvironmentIsOursWithChanges) {
  setenv("DL_TEST_KEPT", "kept", 1);
  setenv("DL_TEST_CHANGED", "old", 1);
  auto child = Shell("echo $DL_TEST_KEPT $DL_TEST_CHANGED", {.env = {"DL_TEST_CHANGED=new"}});
  EXPECT_EQ(*child->ReadAll(kTimeout, 1000), "kept new\n");
}

TEST(Process, ErrorsGoToTheFileThatWasNamed) {
  test::TempFolder folder;
  const std::string log = folder / "log";
  for (const char* text : {"first", "second"}) {
    auto child =
        Shell(std::string("echo out; echo ") + text + " >&2", {.err = ChildOutput::File(log)});
    EXPECT_EQ(*child->ReadAll(kTimeout, 1000), "out\n");
    (void)child->Wait(kTimeout);
  }
  EXPECT_EQ(*ReadFile(log, 1000), "first\nsecond\n");
}

TEST(Process, ChildHasNoDescriptorOfOurs) {
  test::TempFolder folder;
  // Without O_CLOEXEC on purpose.
  FileDescriptor leak(open((folder / "leak").c_str(), O_CREAT | O_RDWR, 0600));
  EXPECT_THAT(*Shell("readlink /proc/self/fd/*")->ReadAll(kTimeout, 10'000),
              Not(HasSubstr("leak")));
}

TEST(Process, SignalsOfTheChildAreDefaultEvenFromAThreadThatBlocksThem) {
  Thread thread("blocked", [] {
    auto child = Shell("echo ready; exec sleep 1000");
    EXPECT_EQ(*child->ReadLine(kTimeout), "ready");
    DL_EXPECT_OK(child->Signal(SIGTERM));
    EXPECT_EQ(*child->Wait(kTimeout), ExitStatus{.signal = SIGTERM});
  });
}

TEST(Process, OutlivesTheThreadThatStartedIt) {
  std::unique_ptr<ChildProcess> child;
  Thread("starter", [&] { child = Shell("echo alive; exec sleep 1000"); }).Join();
  EXPECT_EQ(*child->ReadLine(kTimeout), "alive");
  EXPECT_THAT(child->Wait(100ms), IsError(absl::StatusCode::kDeadlineExceeded, "still runs"));
}

bool Ends(int pidfd) {
  pollfd item = {pidfd, POLLIN, 0};
  return poll(&item, 1, 60'000) == 1;
}

TEST(Process, DestructionKillsTheChild) {
  auto child = Shell("trap '' TERM; echo ready; exec sleep 1000");
  EXPECT_EQ(*child->ReadLine(kTimeout), "ready");
  FileDescriptor pidfd(pidfd_open(child->pid(), 0));
  child.reset();
  EXPECT_TRUE(Ends(pidfd.get()));
}

TEST(Process, DestructionKillsGrandchildren) {
  auto child = Shell("sleep 1000 & echo $!; wait");
  FileDescriptor pidfd(pidfd_open(std::stoi(*child->ReadLine(kTimeout)), 0));
  ASSERT_TRUE(pidfd.valid());
  child.reset();
  EXPECT_TRUE(Ends(pidfd.get()));
}

TEST(Process, EndsWithItsParent) {
  auto parent =
      Spawner::Real().Start({.argv = {TestChild(), "parent"}, .out = ChildOutput::Pipe()});
  DL_ASSERT_OK(parent);
  const pid_t grandchild = std::stoi(*(*parent)->ReadLine(kTimeout));
  FileDescriptor pidfd(pidfd_open(grandchild, 0));
  ASSERT_TRUE(pidfd.valid());
  DL_EXPECT_OK((*parent)->Signal(SIGKILL));
  EXPECT_TRUE(Ends(pidfd.get()));
}

TEST(Process, StopAndContinue) {
  auto child = Shell("echo ready; while :; do echo tick; done");
  EXPECT_EQ(*child->ReadLine(kTimeout), "ready");
  DL_EXPECT_OK(child->Signal(SIGSTOP));
  EXPECT_THAT(child->Wait(0s), IsError(absl::StatusCode::kDeadlineExceeded, "still runs"));
  DL_EXPECT_OK(child->Signal(SIGCONT));
  for (int i = 0; i < 100'000; ++i)
    ASSERT_EQ(*child->ReadLine(kTimeout), "tick");  // more than a pipe buffers
}

TEST(Process, RefusesWhatCannotBeStarted) {
  EXPECT_THAT(Spawner::Real().Start({.argv = {"no-such-program"}}),
              IsError(absl::StatusCode::kNotFound, "PATH"));
  EXPECT_THAT(Spawner::Real().Start({.argv = {"/no/such/program"}}),
              IsError(absl::StatusCode::kNotFound, "/no/such/program"));
  EXPECT_THAT(Spawner::Real().Start({.argv = {"/etc/passwd"}}),
              IsError(absl::StatusCode::kPermissionDenied, "execute"));
  EXPECT_THAT(Spawner::Real().Start({}), IsError(absl::StatusCode::kInvalidArgument, "no program"));
  EXPECT_THAT(Spawner::Real().Start({.argv = {"true"}, .err = ChildOutput::Pipe()}),
              IsError(absl::StatusCode::kInvalidArgument, "standard output"));
}

}  // namespace
}  // namespace dl
