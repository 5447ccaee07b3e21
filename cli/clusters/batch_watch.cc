#include "cli/clusters/batch_watch.h"

#include <utility>

#include "base/limits.h"

namespace dl::cli {

void BatchWatch::RecordMessage(Instant now) { last_message_at_ = now; }

void BatchWatch::RecordLockCheck(bool is_held, Instant now) {
  if (!is_held) {
    ++unlocked_checks_;
    return;
  }
  first_unlocked_report_at_.reset();
  RecordMessage(now);
}

bool BatchWatch::RecordMasterReport(Instant now) {
  RecordMessage(now);
  if (!first_unlocked_report_at_) {
    first_unlocked_report_at_ = now;
    unlocked_checks_ = 0;
    return false;
  }
  // The last messages of a lost master may become visible some time after its lock is gone.
  const bool shows_nothing =
      unlocked_checks_ > 1 && now - *first_unlocked_report_at_ >= limits::kSharedFileLag;
  return shows_nothing && !std::exchange(lock_is_invisible_, true);
}

void BatchWatch::Restart() {
  first_unlocked_report_at_.reset();
  last_message_at_.reset();
  runs_since_.reset();
}

bool BatchWatch::IsLost(bool runs, Instant now) {
  if (!runs) {
    runs_since_.reset();
    if (last_message_at_) last_message_at_ = now;
    return false;
  }
  if (!runs_since_) runs_since_ = now;
  return !lock_is_invisible_ &&
         now >= (last_message_at_ ? *last_message_at_ + limits::kBatchSilenceTimeout
                                  : *runs_since_ + limits::kBatchStartTimeout);
}

}  // namespace dl::cli
