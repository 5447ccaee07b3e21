// What lacks files or memory for a moment is tried again: a job must not end for what passes.
#pragma once

#include <algorithm>
#include <atomic>
#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/system_error.h"

namespace dl::master {

// Thread-safe.
class Shortage {
 public:
  // Runs `attempt`, which gives a Status or StatusOr, until it lacks neither or Stop was called:
  // the last one's result.
  template <typename Attempt>
  auto Outlast(std::string_view what, const Attempt& attempt) {
    Duration pause = limits::kShortagePause;
    for (;;) {
      auto result = attempt();
      if (!IsShortage(StatusOf(result)) || !Wait(what, StatusOf(result), pause)) return result;
      pause = std::min<Duration>(2 * pause, limits::kMaxShortagePause);
    }
  }

  // Nobody waits any more.
  void Stop() DL_EXCLUDES(mutex_);
  // How often something was lacking.
  int64_t count() const { return count_; }

 private:
  static Status StatusOf(const Status& status) { return status; }
  template <typename T>
  static Status StatusOf(const StatusOr<T>& result) {
    return result.status();
  }
  // Tells of it. False after Stop.
  bool Wait(std::string_view what, const Status& why, Duration pause) DL_EXCLUDES(mutex_);

  std::atomic<int64_t> count_{0};
  Mutex mutex_;
  CondVar stopped_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl::master
