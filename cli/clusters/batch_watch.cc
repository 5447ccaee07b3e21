#include "cli/clusters/batch_watch.h"

#include <utility>

#include "base/limits.h"

namespace dl::cli {

void BatchWatch::Heard(Instant now) { heard_at_ = now; }

void BatchWatch::SawLock(bool is_held, Instant now) {
  if (!is_held) {
    ++looks_unlocked_;
    return;
  }
  heard_unlocked_at_.reset();
  Heard(now);
}

bool BatchWatch::HeardOfMaster(Instant now) {
  Heard(now);
  if (!heard_unlocked_at_) {
    heard_unlocked_at_ = now;
    looks_unlocked_ = 0;
    return false;
  }
  // The last messages of a lost master may become visible some time after its lock is gone.
  const bool shows_nothing =
      looks_unlocked_ > 1 && now - *heard_unlocked_at_ >= limits::kSharedFileLag;
  return shows_nothing && !std::exchange(lock_shows_nothing_, true);
}

void BatchWatch::Restart() {
  heard_unlocked_at_.reset();
  heard_at_.reset();
  runs_since_.reset();
}

bool BatchWatch::IsLost(bool runs, Instant now) {
  if (!runs) {
    runs_since_.reset();
    if (heard_at_) heard_at_ = now;
    return false;
  }
  if (!runs_since_) runs_since_ = now;
  return !lock_shows_nothing_ && now >= (heard_at_ ? *heard_at_ + limits::kBatchSilenceTimeout
                                                   : *runs_since_ + limits::kBatchStartTimeout);
}

}  // namespace dl::cli
