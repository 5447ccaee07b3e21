// What one process still has to do in virtual time: nothing of it happens behind the process's end.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "tests/sim/virtual_time.h"

namespace dl::sim {

// A member of whoever acts.
class Agenda {
 public:
  explicit Agenda(VirtualTime* time) : time_(time) {}

  Instant now() const { return time_->now(); }
  void At(Instant when, std::function<void()> action) {
    time_->At(when, [is_there = IsThere(), action = std::move(action)] {
      if (is_there()) action();
    });
  }
  void After(Duration wait, std::function<void()> action) { At(now() + wait, std::move(action)); }
  // Whether its owner still is, for those who ask behind its end.
  std::function<bool()> IsThere() const {
    return [there = std::weak_ptr<bool>(there_)] { return !there.expired(); };
  }

 private:
  VirtualTime* time_;

  // Shared with nobody: actions to come watch whether it still is.
  std::shared_ptr<bool> there_ = std::make_shared<bool>(true);
};

}  // namespace dl::sim
