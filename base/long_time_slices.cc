#include "base/long_time_slices.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "base/scheduler.h"

namespace dl {
namespace {

constexpr uint64_t kTurnNs = 20'000'000;

// The kernel's struct sched_attr, which the headers of the C library lack.
struct SchedulingAttributes {
  uint32_t size = 48, policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
};

}  // namespace

void UseLongTimeSlices() {
  if (Scheduler::Installed() != nullptr) return;  // its threads share an OS thread
  constexpr pid_t kSelf = 0;
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, kSelf, &attributes, sizeof(attributes), 0) != 0) return;
  if (attributes.policy != 0) return;  // the thread has another policy on purpose
  attributes.runtime_ns = kTurnNs;
  (void)syscall(SYS_sched_setattr, kSelf, &attributes, 0);
}

}  // namespace dl
