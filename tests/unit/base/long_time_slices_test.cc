#include "base/long_time_slices.h"

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "base/thread.h"
#include "gtest/gtest.h"

namespace dl {
namespace {

struct Attributes {
  uint32_t size = 48, policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
};

Attributes OfThisThread() {
  Attributes attributes;
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0), 0);
  return attributes;
}

bool SlicesAreKept() {  // since Linux 6.12
  utsname system{};
  uname(&system);
  char* rest = nullptr;
  const int64_t major = std::strtoll(system.release, &rest, 10);
  const int64_t minor = *rest == '.' ? std::strtoll(rest + 1, nullptr, 10) : 0;
  return major > 6 || (major == 6 && minor >= 12);
}

TEST(LongTimeSlices, ThreadsInheritSchedulingClassOnly) {
  const Attributes before = OfThisThread();
  Attributes inside, child;
  Thread("long", [&] {
    UseLongTimeSlices();
    inside = OfThisThread();
    Thread("child", [&] { child = OfThisThread(); }).Join();
  }).Join();
  for (const Attributes& now : {inside, child}) {
    EXPECT_EQ(now.policy, before.policy);
    EXPECT_EQ(now.nice, before.nice);
    if (SlicesAreKept()) {
      EXPECT_EQ(now.runtime_ns, 20'000'000u);
    }
  }
  EXPECT_EQ(OfThisThread().runtime_ns, before.runtime_ns);
}

}  // namespace
}  // namespace dl
