// Limits on the lists of what an executor holds.
#pragma once

#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::rpc {

// Shortens held_parts and held_contributions to their limits. Contents that are not listed are
// computed again or fetched from another executor. Keeps the first parts and the last
// contributions. REQUIRES: parts are ordered from most to least recently used, contributions by
// UnitId: of one job, those of the latest rounds are kept.
inline RegisterRequest CutToLimits(RegisterRequest request) {
  if (static_cast<int64_t>(request.held_parts.size()) > limits::kMaxHeldParts)
    request.held_parts.resize(limits::kMaxHeldParts);
  auto& held = request.held_contributions;
  if (static_cast<int64_t>(held.size()) > limits::kMaxHeldContributions)
    held.erase(held.begin(), held.end() - limits::kMaxHeldContributions);
  return request;
}

}  // namespace dl::rpc
