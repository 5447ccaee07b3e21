// The time of day for decisions that cannot be undone.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"

namespace dl::security {

// Follows the machine's clock, whose first reading is accepted. A jump is accepted only if two
// readings at least limits::kClockJumpTime apart show it, and no reading between them shows another
// time. Until then, time continues from the last accepted reading. Corrections of up to a second,
// plus a thousandth of the time since the last accepted reading, are followed immediately.
// Thread-safe.
class SteadyWallClock {
 public:
  // `clock` must outlive the object.
  explicit SteadyWallClock(const Clock& clock) : clock_(clock) { (void)UnixMs(); }

  // Returns the accepted time in milliseconds since 1970. Each call is a reading of the clock.
  int64_t UnixMs() const DL_EXCLUDES(mutex_);

 private:
  // The difference between the time of day and the monotonic clock, and the time of the reading.
  struct Offset {
    int64_t ms = 0;
    Instant at;
    bool IsNear(int64_t other_ms, Instant now) const;
  };

  const Clock& clock_;
  mutable Mutex mutex_;
  mutable std::optional<Offset> accepted_ DL_GUARDED_BY(mutex_);
  mutable std::optional<Offset> jump_ DL_GUARDED_BY(mutex_);  // `at` is its first reading
};

}  // namespace dl::security
