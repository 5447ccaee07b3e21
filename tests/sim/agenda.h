// Future actions of a process in virtual time. None is executed after the process has ended.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "tests/sim/virtual_time.h"

namespace dl::sim {

// A member of the object whose methods the actions call.
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
  // Returns a function that reports whether the owner still exists. Callable after its destruction.
  std::function<bool()> IsThere() const {
    return [there = std::weak_ptr<bool>(there_)] { return !there.expired(); };
  }

 private:
  VirtualTime* time_;

  // Expires with the owner. Actions hold weak references to it.
  std::shared_ptr<bool> there_ = std::make_shared<bool>(true);
};

}  // namespace dl::sim
