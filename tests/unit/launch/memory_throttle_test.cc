#include "launch/clusters/memory_throttle.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_system.h"

namespace dl::launch {
namespace {

TEST(MemoryThrottle, ReachedLimitIsWarnedOfOnce) {
  const test::FakeSystem system;
  system.Write("/proc/self/cgroup", "0::/run\n");
  system.Write("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  system.Write("/sys/fs/cgroup/run/memory.high", "104857600\n");
  system.Write("/sys/fs/cgroup/run/memory.current", "104857600\n");
  MemoryThrottle throttle(system.root());
  testing::internal::CaptureStderr();
  throttle.WarnIfThrottled();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("slows this run down because of the memory limit of 100 MiB ("));
  testing::internal::CaptureStderr();
  throttle.WarnIfThrottled();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace dl::launch
