// Determines which jobs ended long enough ago to be deleted. Also used for uploads, with the time
// of an upload instead of the end. Only computes with given times.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace dl::master {

// Compares the wall clock at a job's end with the wall clock now. A clock may be wrong for a
// moment, and deletion cannot be undone, so a time counts only if two recorded times in a row agree
// on it. Not thread-safe.
class Expiry {
 public:
  // Ended jobs are kept for `keep`. `now` is the start of this master.
  Expiry(Duration keep, Instant now) : keep_(keep), began_(now), now_(now) {}

  // Returns the time between two calls of RecordTime: a hundredth of `keep`, at least 0.1 s and at
  // most 10 minutes.
  Duration Period() const;
  // Records the current time. REQUIRES: `now` is not earlier than in the last call.
  void RecordTime(Instant now, int64_t wall_unix_ms);

  // Whether a job that ended at `ended_unix_ms` (wall clock) is due as of the last recorded time. 0
  // means that it ended at an unknown time before this master started; it is due when this master
  // has run for `keep`. For known times, if a job is due, all jobs that ended earlier are due as
  // well.
  bool IsDue(int64_t ended_unix_ms) const;

 private:
  const Duration keep_;
  const Instant began_;
  Instant now_;
  std::optional<int64_t> wall_unix_ms_;  // last recorded
  std::optional<int64_t>
      confirmed_unix_ms_;  // the time is at least this, according to two recorded times
};

}  // namespace dl::master
