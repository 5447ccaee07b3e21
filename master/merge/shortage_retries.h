// Retries operations that fail because file descriptors or memory are exhausted, so that a
// temporary shortage ends no job. After kRetryTimeout the core gets the error. The core then warns
// the users of the job and requests the operation again. Before it does so, the operations of other
// jobs run, and a cancelled job ends.
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
class ShortageRetries {
 public:
  // How long an operation is retried. Longer than most shortages.
  static constexpr Duration kRetryTimeout = std::chrono::seconds(10);

  // Runs `attempt`, which returns a Status or StatusOr, on the calling thread, until it succeeds,
  // fails for another reason, fails after kRetryTimeout, or Stop() was called. Returns the last
  // result. Blocks between attempts; the pause doubles up to limits::kMaxShortagePause. `what`
  // names the operation in the log.
  template <typename Attempt>
  auto RetryWhenExhausted(std::string_view what, const Attempt& attempt) {
    const Instant begun = Clock::Real().Now();
    Duration pause = limits::kShortagePause;
    for (;;) {
      auto result = attempt();
      if (!IsShortage(StatusOf(result)) || Clock::Real().Now() - begun >= kRetryTimeout ||
          !Wait(what, StatusOf(result), pause))
        return result;
      pause = std::min<Duration>(2 * pause, limits::kMaxShortagePause);
    }
  }

  // Ends all waiting. Later operations are attempted only once.
  void Stop() DL_EXCLUDES(mutex_);
  // Number of pauses because of a shortage. Includes pauses that Stop() ended or prevented.
  int64_t count() const { return count_; }

 private:
  static Status StatusOf(const Status& status) { return status; }
  template <typename T>
  static Status StatusOf(const StatusOr<T>& result) {
    return result.status();
  }
  // Logs the shortage and waits. Returns false after Stop().
  bool Wait(std::string_view what, const Status& why, Duration pause) DL_EXCLUDES(mutex_);

  std::atomic<int64_t> count_{0};
  Mutex mutex_;
  CondVar stopped_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl::master
