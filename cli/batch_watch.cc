#include "cli/batch_watch.h"

#include "base/limits.h"

namespace dl::cli {

void BatchWatch::Heard(Instant now) { heard_at_ = now; }

void BatchWatch::Anew() {
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
  return now >= (heard_at_ ? *heard_at_ + limits::kBatchLost : *runs_since_ + limits::kBatchStart);
}

}  // namespace dl::cli
