// The time of day for decisions that cannot be taken back.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"

namespace dl::security {

// Follows the machine's clock, but believes a jump of it only when two looks that are
// limits::kClockPatience apart show the same jump. Until then the time goes on as before. Small
// corrections, as time servers make them, are followed at once. Thread-safe.
class SteadyWallClock {
 public:
  // `clock` outlives it.
  explicit SteadyWallClock(const Clock& clock) : clock_(clock) { (void)UnixMs(); }

  int64_t UnixMs() const DL_EXCLUDES(mutex_);

 private:
  // The difference of the time of day and the monotonic clock, and when a look showed it.
  struct Offset {
    int64_t ms = 0;
    Instant at;
    bool IsNear(int64_t other_ms, Instant now) const;
  };

  const Clock& clock_;
  mutable Mutex mutex_;
  mutable std::optional<Offset> believed_ DL_GUARDED_BY(mutex_);
  mutable std::optional<Offset> jump_ DL_GUARDED_BY(mutex_);  // `at`: when it was first seen
};

}  // namespace dl::security
