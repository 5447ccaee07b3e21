// Computations: runs of units, each named by the lease that started it, with progress and result.
// Two computations of the same unit may exist at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "base/float_buffer.h"

namespace dl::executor {

// Shared by the slot's thread, the core's thread and the thread that sends the result. Each thread
// holds a reference to its own computation, so a late thread cannot touch a newer computation of
// the unit.
struct Computation {
  std::atomic<int64_t> bytes_moved{0};                 // as in rpc::UnitProgress
  std::atomic<int64_t> steps_done{0}, steps_total{0};  // set when it ends
  std::atomic<bool> computing{false};                  // has its input state and is running
  // The last attempt to send the result failed before a byte was acknowledged. From then on,
  // transfers of other results in the queue do not count as progress of this computation.
  std::atomic<bool> last_send_failed{false};
  // Set before the core learns that the computation is over. Then used only by the bulk thread,
  // until the result is held.
  std::shared_ptr<FloatBuffer> result;
  bool held = false;  // the result is in HeldResults, or will be; core's thread only
};

// Computations that have begun and were neither aborted nor dropped. Used only by the core's
// thread.
class Computations {
 public:
  // Adds a computation.
  std::shared_ptr<Computation> Begin(uint64_t lease) {
    return all_[lease] = std::make_shared<Computation>();
  }
  // Returns null if no such computation exists.
  std::shared_ptr<Computation> Find(uint64_t lease) const {
    const auto found = all_.find(lease);
    return found == all_.end() ? nullptr : found->second;
  }
  // Forgets the computation. Other holders of it keep it.
  void Drop(uint64_t lease) { all_.erase(lease); }

 private:
  std::map<uint64_t, std::shared_ptr<Computation>> all_;
};

}  // namespace dl::executor
