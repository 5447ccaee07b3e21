// What may travel of what an executor holds.
#pragma once

#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::rpc {

// What is not listed is computed again, or fetched from somebody else: the last used parts and the
// contributions of the latest rounds are worth the most. Parts come last used first, contributions
// in ascending order.
inline RegisterRequest CutToLimits(RegisterRequest request) {
  if (static_cast<int64_t>(request.held_parts.size()) > limits::kMaxHeldParts)
    request.held_parts.resize(limits::kMaxHeldParts);
  auto& held = request.held_contributions;
  if (static_cast<int64_t>(held.size()) > limits::kMaxHeldContributions)
    held.erase(held.begin(), held.end() - limits::kMaxHeldContributions);
  return request;
}

}  // namespace dl::rpc
