// Results that are here, and the bound on their bytes. A result that the master has accepted is
// retained only for a restarted master, which would otherwise have to recompute it. Therefore it is
// dropped if memory is short. Writing it to disk instead would cost a write of a whole state per
// unit, to save a computation that is rarely needed.
#include "executor/core/units.h"

namespace dl::executor {

int64_t Units::UndeliveredBytes() const {
  int64_t bytes = 0;
  for (const auto& [unit, work] : all_) {
    if (work.stage == Stage::kAnnouncing || work.stage == Stage::kSending)
      bytes += work.outcome.announcement.bytes;
  }
  return bytes;
}

int64_t Units::RetainedBytes() const {
  int64_t bytes = 0;
  for (const auto& [unit, work] : all_) {
    if (work.stage == Stage::kRetained) bytes += work.outcome.announcement.bytes;
  }
  return bytes;
}

void Units::Retain(Work& work, uint64_t session) {
  work.stage = Stage::kRetained;
  work.retained_in = session;
  work.retained_as = ++retained_;
}

void Units::DropRetainedAbove(int64_t result_bytes) {
  const int64_t undelivered = UndeliveredBytes();
  for (int64_t kept = RetainedBytes(); kept > 0 && undelivered + kept > result_bytes;) {
    auto oldest = all_.end();
    for (auto it = all_.begin(); it != all_.end(); ++it) {
      if (it->second.stage != Stage::kRetained || it->second.outcome.announcement.bytes == 0)
        continue;
      if (oldest == all_.end() || it->second.retained_as < oldest->second.retained_as) oldest = it;
    }
    kept -= oldest->second.outcome.announcement.bytes;
    Drop(oldest->first);
  }
}

}  // namespace dl::executor
