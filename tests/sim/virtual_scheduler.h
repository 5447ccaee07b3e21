// Threads, condition variables and clocks of shipped code in virtual time (base/scheduler.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/scheduler.h"
#include "tests/sim/virtual_thread.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {

class VirtualScheduler final : public Scheduler, private Clock {
 public:
  explicit VirtualScheduler(const VirtualTime* time) : time_(time) {}

  // Difference between the wall clock and virtual time. It may jump.
  int64_t wall_clock_ahead_ms = 0;

  // While it exists, threads that are started outside of simulated threads belong to `process`.
  class InProcess {
   public:
    InProcess(VirtualScheduler& scheduler, ProcessThreads& process) : scheduler_(scheduler) {
      scheduler_.process_ = &process;
    }
    ~InProcess() { scheduler_.process_ = nullptr; }
    InProcess(const InProcess&) = delete;

   private:
    VirtualScheduler& scheduler_;
  };

  std::unique_ptr<StartedThread> Start(std::function<void()> body) override;
  void Wait(const void* condition, std::optional<Duration> timeout) override;
  void NotifyOne(const void* condition) override;
  void NotifyAll(const void* condition) override;
  Clock& clock() override { return *this; }

 private:
  Instant Now() const override { return time_->now(); }
  int64_t WallUnixMs() const override {
    constexpr int64_t kStart = 1'800'000'000'000;
    return kStart + time_->now().ns / 1'000'000 + wall_clock_ahead_ms;
  }

  const VirtualTime* time_;
  ProcessThreads* process_ = nullptr;
  std::unordered_map<const void*, std::deque<VirtualThread*>> waiting_;  // by condition
};

}  // namespace dl::sim
