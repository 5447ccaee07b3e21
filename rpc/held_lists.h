// Limits on the lists of what an executor holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::rpc {

// Removes the first contributions of each job until at most `most` are left. All jobs keep the same
// number, or one less, unless they have fewer. REQUIRES: contributions are ordered by UnitId.
inline void KeepLastOfEachJob(std::vector<HeldContribution>& held, size_t most) {
  if (held.size() <= most) return;
  // By contribution: the number of later contributions of its job.
  std::vector<size_t> later(held.size());
  for (size_t i = held.size() - 1; i > 0; --i)
    later[i - 1] = held[i - 1].unit.job == held[i].unit.job ? later[i] + 1 : 0;
  std::vector<size_t> ranks = later;
  std::ranges::nth_element(ranks, ranks.begin() + static_cast<std::ptrdiff_t>(most));
  const size_t limit = ranks[most];
  auto room = most - static_cast<size_t>(
                         std::ranges::count_if(later, [&](size_t rank) { return rank < limit; }));
  size_t kept = 0;
  for (size_t i = 0; i < held.size(); ++i) {
    const bool fits = later[i] < limit || (later[i] == limit && room > 0);
    if (!fits) continue;
    if (later[i] == limit) --room;
    if (kept != i) held[kept] = std::move(held[i]);
    ++kept;
  }
  held.resize(kept);
}

// Shortens held_parts and held_contributions to their limits. Contents that are not listed are
// computed again or fetched from another executor. Keeps the first parts, and the contributions to
// the latest rounds of each job. REQUIRES: parts are ordered from most to least recently used,
// contributions by UnitId.
inline RegisterRequest CutToLimits(RegisterRequest request) {
  if (static_cast<int64_t>(request.held_parts.size()) > limits::kMaxHeldParts)
    request.held_parts.resize(limits::kMaxHeldParts);
  KeepLastOfEachJob(request.held_contributions, limits::kMaxHeldContributions);
  return request;
}

}  // namespace dl::rpc
