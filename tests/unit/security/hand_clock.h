// A clock that a test advances.
#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.h"

namespace dl::security {

class HandClock final : public Clock {
 public:
  static constexpr int64_t kStartUnixMs = 1'700'000'000'000;  // a whole number of seconds

  Instant Now() const override { return {passed_ns_}; }
  int64_t WallUnixMs() const override {
    return kStartUnixMs + (passed_ns_ + jumped_ns_) / 1'000'000;
  }
  void Pass(Duration d) { passed_ns_ += d.count(); }
  Duration passed() const { return Duration(passed_ns_); }
  // Changes only the time of day, as when an administrator sets the clock.
  void Jump(Duration d) { jumped_ns_ += d.count(); }

 private:
  std::atomic<int64_t> passed_ns_ = 0, jumped_ns_ = 0;
};

}  // namespace dl::security
