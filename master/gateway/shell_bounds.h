// Limits of what may wait for the core and for the store.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/limits.h"

namespace dl::master {

struct ShellBounds {
  int64_t requests = limits::kMaxRequestsWaiting;  // callers that wait for an answer
  int64_t request_bytes = int64_t{64} << 20;       // bytes of requests that wait for the core
  // The core takes no event while the next batch has this many bytes or effects.
  uint64_t batch_bytes = limits::kMetaFullBatchBytes;
  size_t effects = limits::kMaxEffectsUnwritten;
};

}  // namespace dl::master
