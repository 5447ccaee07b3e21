#include "security/steady_wall_clock.h"

#include <chrono>
#include <cstdlib>

#include "base/limits.h"

namespace dl::security {
namespace {

constexpr int64_t kNoJumpMs = 1000;
// Clocks drift, and time servers correct them, by less than one part in a thousand.
constexpr int64_t kDrift = 1000;

}  // namespace

bool SteadyWallClock::Offset::IsNear(int64_t other_ms, Instant now) const {
  const int64_t passed_ms = (now - at) / std::chrono::milliseconds(1);
  return std::abs(other_ms - ms) <= kNoJumpMs + passed_ms / kDrift;
}

int64_t SteadyWallClock::UnixMs() const {
  const Instant now = clock_.Now();
  const int64_t now_ms = (now - Instant{}) / std::chrono::milliseconds(1);
  const int64_t offset_ms = clock_.WallUnixMs() - now_ms;
  MutexLock lock(mutex_);
  if (!accepted_ || accepted_->IsNear(offset_ms, now)) {
    accepted_ = {offset_ms, now};
    jump_.reset();
  } else if (!jump_ || !jump_->IsNear(offset_ms, now)) {
    jump_ = {offset_ms, now};
  } else if (now - jump_->at >= limits::kClockJumpTime) {
    accepted_ = {offset_ms, now};
    jump_.reset();
  }
  return now_ms + accepted_->ms;
}

}  // namespace dl::security
