#include "master/gateway/expiry.h"

#include <algorithm>

namespace dl::master {
namespace {

using Milliseconds = std::chrono::milliseconds;

}  // namespace

Duration Expiry::Period() const {
  return std::clamp<Duration>(keep_ / 100, Milliseconds(100), std::chrono::minutes(10));
}

void Expiry::RecordTime(Instant now, int64_t wall_unix_ms) {
  if (wall_unix_ms_) {
    const int64_t passed = std::chrono::duration_cast<Milliseconds>(now - now_).count();
    confirmed_unix_ms_ = std::min(wall_unix_ms, *wall_unix_ms_ + passed);
  }
  wall_unix_ms_ = wall_unix_ms;
  now_ = now;
}

bool Expiry::IsDue(int64_t ended_unix_ms) const {
  if (ended_unix_ms == 0) return now_ - began_ >= keep_;
  return confirmed_unix_ms_ &&
         ended_unix_ms <=
             *confirmed_unix_ms_ - std::chrono::duration_cast<Milliseconds>(keep_).count();
}

}  // namespace dl::master
