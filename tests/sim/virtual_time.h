// The simulation's clock and all future actions. They run on one thread, ordered by time and then
// by the order of the calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/clock.h"

namespace dl::sim {

class VirtualTime {
 public:
  Instant now() const { return now_; }

  void At(Instant when, std::function<void()> action) {
    queue_.emplace(std::pair(std::max(when.ns, now_.ns), next_++), std::move(action));
  }
  void After(Duration wait, std::function<void()> action) { At(now_ + wait, std::move(action)); }

  // Advances to the next action and runs it. Returns false if there is none.
  bool RunNext() {
    if (queue_.empty()) return false;
    auto node = queue_.extract(queue_.begin());
    now_.ns = node.key().first;
    node.mapped()();
    return true;
  }

 private:
  Instant now_{1'000'000'000};
  uint64_t next_ = 0;
  std::map<std::pair<int64_t, uint64_t>, std::function<void()>> queue_;
};

}  // namespace dl::sim
