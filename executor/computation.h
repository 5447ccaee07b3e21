// Runs of units, each by the lease that names it: how far it is, and what came out. Two runs of one
// unit may be there side by side.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "base/float_buffer.h"

namespace dl::executor {

// Shared by its slot's thread, the core's and the one that sends its result; a thread that comes
// late holds its own and no other's.
struct Computation {
  std::atomic<int64_t> bytes_moved{0};
  std::atomic<int64_t> steps_done{0}, steps_total{0};  // once it is over
  std::atomic<bool> computing{false};                  // it has what it starts from, and goes on
  // Its bytes were sent in vain: nothing of them was acknowledged when it was tried last. From then
  // on those of others in the queue are no progress of its own.
  std::atomic<bool> sent_in_vain{false};
  // There when the core hears that it is over; then the bulk thread's, until it is held.
  std::shared_ptr<FloatBuffer> result;
  bool held = false;  // the core's thread's: its result is held (HeldResults), or about to be
};

// Those that were begun and neither aborted nor dropped. The core's thread's only.
class Computations {
 public:
  std::shared_ptr<Computation> Begin(uint64_t lease) {
    return all_[lease] = std::make_shared<Computation>();
  }
  // Null when it is not there.
  std::shared_ptr<Computation> Find(uint64_t lease) const {
    const auto found = all_.find(lease);
    return found == all_.end() ? nullptr : found->second;
  }
  void Drop(uint64_t lease) { all_.erase(lease); }

 private:
  std::map<uint64_t, std::shared_ptr<Computation>> all_;
};

}  // namespace dl::executor
