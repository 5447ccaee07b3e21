// Threads that the system cannot start: an error, or the end of the process with its exit code.
#include "base/thread.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <system_error>

#include "base/fail_point.h"
#include "base/parallel.h"
#include "base/process_end.h"
#include "base/thread_limit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_system.h"
#include "tests/support/status_matchers.h"

namespace dl {
namespace {

using testing::HasSubstr;

class ThreadTest : public testing::Test {
 protected:
  ThreadTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~ThreadTest() override { EXPECT_TRUE(ArmFailPoints("").ok()); }
};

TEST_F(ThreadTest, FailedStartIsAnError) {
  ASSERT_TRUE(ArmFailPoints("thread.start=error").ok());
  std::atomic<bool> ran = false;
  const auto refused = Thread::Start("test", [&] { ran = true; });
  EXPECT_TRUE(absl::IsUnavailable(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("cannot start a thread"));
  auto started = Thread::Start("test", [&] { ran = true; });
  DL_ASSERT_OK(started);
  started->Join();
  EXPECT_TRUE(ran);
}

TEST_F(ThreadTest, ConstructorTriesAgain) {
  ASSERT_TRUE(ArmFailPoints("thread.start=error@1").ok());
  std::atomic<bool> ran = false;
  Thread thread("test", [&] { ran = true; });
  thread.Join();
  EXPECT_TRUE(ran);
}

TEST_F(ThreadTest, ConstructorEndsTheProcessWithItsExitCode) {
  EXPECT_EXIT(
      {
        (void)ArmFailPoints("thread.start=error@1+");
        Thread thread("test", [] {});
      },
      testing::ExitedWithCode(75), "error: cannot start a thread");
}

TEST_F(ThreadTest, SharedWorkRunsWithoutThreads) {
  EXPECT_EXIT(
      {
        (void)ArmFailPoints("thread.start=error@1+");
        std::atomic<int> calls = 0;
        InParallel(100, [&](int64_t) { ++calls; });
        std::_Exit(calls == 100 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ThreadTest, ExceptionOnAnotherThreadEndsTheProcessWithAnError) {
  EXPECT_EXIT(
      {
        EndProcessOnUncaughtExceptions();
        Thread thread("test", [] { throw std::bad_alloc(); });
      },
      testing::ExitedWithCode(75), "error: out of memory");
}

TEST_F(ThreadTest, ThreadsOfALibraryThatAreLostEndTheProcessWithAnError) {
  EXPECT_EXIT(
      {
        EndProcessOnUncaughtExceptions();
        std::thread first([] { pause(); });
        throw std::system_error(EAGAIN, std::generic_category());
      },
      testing::ExitedWithCode(75), "error: cannot start a thread");
}

TEST(ThreadLimit, LimitWithTheFewestLeftIsNamed) {
  const test::FakeSystem system;
  system.Write("/proc/sys/kernel/threads-max", "1000\n");
  system.Write("/proc/loadavg", "0.00 0.01 0.05 1/234 4567\n");
  system.Write("/proc/self/cgroup", "0::/a/b\n");
  system.Write("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  system.Write("/sys/fs/cgroup/a/b/pids.max", "max\n");
  const auto of_machine = FindThreadLimit(system.root());
  ASSERT_TRUE(of_machine.has_value());
  EXPECT_EQ(of_machine->limit - of_machine->used, 766);
  system.Write("/sys/fs/cgroup/a/pids.max", "64\n");
  system.Write("/sys/fs/cgroup/a/pids.current", "62\n");
  const auto of_group = FindThreadLimit(system.root());
  ASSERT_TRUE(of_group.has_value());
  EXPECT_THAT(of_group->name, HasSubstr("the limit of 64 processes and threads ("));
  EXPECT_THAT(of_group->name, HasSubstr("a/pids.max), of which 62 are used"));
}

}  // namespace
}  // namespace dl
