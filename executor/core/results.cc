// Results that are here, and the bound on their bytes. One that its master has taken is only kept
// for a master that is started again, which would have it computed anew without: so it is dropped
// where memory is short. Keeping it on disk instead would put a write of a whole state on the way
// of every unit, to save a computation that is rarely needed.
#include <algorithm>

#include "executor/core/core.h"

namespace dl::executor {

int64_t Core::UndeliveredBytes() const {
  int64_t bytes = 0;
  for (const auto& [unit, work] : work_) {
    if (work.stage == Stage::kAnnouncing || work.stage == Stage::kSending)
      bytes += work.outcome.announcement.bytes;
  }
  return bytes;
}

int64_t Core::RetainedBytes() const {
  int64_t bytes = 0;
  for (const auto& [unit, work] : work_) {
    if (work.stage == Stage::kRetained) bytes += work.outcome.announcement.bytes;
  }
  return bytes;
}

void Core::LetGoOfRetained() {
  const int64_t undelivered = UndeliveredBytes();
  for (int64_t kept = RetainedBytes(); kept > 0 && undelivered + kept > options_.result_bytes;) {
    auto oldest = work_.end();
    for (auto it = work_.begin(); it != work_.end(); ++it) {
      if (it->second.stage != Stage::kRetained || it->second.outcome.announcement.bytes == 0)
        continue;
      if (oldest == work_.end() || it->second.retained_as < oldest->second.retained_as) oldest = it;
    }
    kept -= oldest->second.outcome.announcement.bytes;
    Drop(oldest);
  }
}

}  // namespace dl::executor
