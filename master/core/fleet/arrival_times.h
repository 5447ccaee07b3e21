// When bytes of a session's results last arrived at the master.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>

#include "base/clock.h"

namespace dl::master {

// A session delivers its results in the order in which the master requested them. Bytes of a result
// therefore also count as progress of all results that were requested later.
class ArrivalTimes {
 public:
  // Bytes of a result that was requested at `asked_for` arrived at `now`. REQUIRES: `now` is not
  // before the time of the last call.
  void Record(Instant asked_for, Instant now) {
    // This arrival also counts for all later requests, so theirs are no longer needed.
    by_request_.erase(by_request_.lower_bound(asked_for), by_request_.end());
    by_request_.emplace_hint(by_request_.end(), asked_for, now);
  }
  // Returns when bytes of a result that was requested at `asked_for`, or before it, last arrived;
  // Instant{} if none did.
  Instant Last(Instant asked_for) const {
    const auto later = by_request_.upper_bound(asked_for);
    return later == by_request_.begin() ? Instant{} : std::prev(later)->second;
  }
  // Frees what is only needed for requests before `oldest`.
  void ForgetBefore(Instant oldest) {
    const auto later = by_request_.upper_bound(oldest);
    if (later != by_request_.begin()) by_request_.erase(by_request_.begin(), std::prev(later));
  }

 private:
  std::map<Instant, Instant> by_request_;  // both ascending
};

}  // namespace dl::master
