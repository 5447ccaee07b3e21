// Something that is said to the master, or asked of it, until it gets through: whether it is on its
// way, when the next try is due, and how those before ended.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/status.h"
#include "executor/core/core_options.h"

namespace dl::executor {

struct Call {
  bool asked = false;  // it is on its way
  Instant due;
  int32_t failures = 0;  // in a row
  int32_t refusals = 0;  // of the bytes that it brought

  bool IsDue(Instant now) const { return !asked && now >= due; }
  Instant NextDue() const { return asked ? Instant::Max() : due; }
  // It failed once more: again after a pause that grows.
  void TryAgain(Instant now, const CoreOptions& options);
  // Counts an answer that refuses the bytes; whether it is the last one. Bytes that do not fit
  // their announcement will not fit it later: they changed behind it. Once more, in case it was the
  // way.
  bool RefusedForGood(const Status& status);
};

}  // namespace dl::executor
