// Which jobs ended long enough ago to be deleted: decisions alone, of times that are given.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace dl::master {

// What the machine's clock showed when a job ended is compared with what it shows now. A clock may
// be wrong for a moment, and what is deleted does not come back: what it says counts once the look
// before said so too. Not thread-safe.
class Expiry {
 public:
  // Jobs stay for `keep`. `now`: when this master began.
  Expiry(Duration keep, Instant now) : keep_(keep), began_(now), now_(now) {}

  // From one look to the next: a hundredth of the time that they stay, within bounds.
  Duration Period() const;
  // REQUIRES: no earlier than the look before.
  void Look(Instant now, int64_t wall_unix_ms);

  // As of the last look, of a job that ended at `ended_unix_ms`; 0: before this master began, and
  // nobody knows when. Of two that are known the earlier one is due when the later one is.
  bool IsDue(int64_t ended_unix_ms) const;

 private:
  const Duration keep_;
  const Instant began_;
  Instant now_;
  std::optional<int64_t> wall_unix_ms_;      // of the last look
  std::optional<int64_t> believed_unix_ms_;  // by then it is at least that late
};

}  // namespace dl::master
