// A number of bytes that many callers share. A caller waits for its turn instead of allocating in
// addition to the others.
#pragma once

#include <cstdint>
#include <deque>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl {

// Thread-safe. Only counts: the caller allocates the memory after it has a charge. Must outlive its
// charges.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t bytes) : bytes_(bytes), free_(bytes) {}
  ~MemoryBudget();  // REQUIRES: every charge has been returned
  MemoryBudget(const MemoryBudget&) = delete;

  // A number of bytes that its holder may use until the charge is destroyed. Not thread-safe.
  class Charge {
   public:
    Charge() = default;
    Charge(Charge&& other) noexcept { *this = std::move(other); }
    Charge& operator=(Charge&& other) noexcept;
    ~Charge() { ShrinkTo(0); }

    int64_t bytes() const { return bytes_; }
    // Returns the bytes beyond `bytes` to the budget.
    void ShrinkTo(int64_t bytes);

   private:
    friend class MemoryBudget;
    Charge(MemoryBudget* budget, int64_t bytes) : budget_(budget), bytes_(bytes) {}

    MemoryBudget* budget_ = nullptr;
    int64_t bytes_ = 0;
  };

  // Waits until `bytes` bytes are free and no earlier caller waits. Returns Unavailable if
  // `deadline` passes first, or after Close. REQUIRES: `bytes` is from 0 to the whole budget.
  StatusOr<Charge> Take(int64_t bytes, Instant deadline) DL_EXCLUDES(mutex_);

  // Makes all waiting and later calls of Take return Unavailable.
  void Close() DL_EXCLUDES(mutex_);

  int64_t free() DL_EXCLUDES(mutex_);  // bytes that no charge has
  // Returns the number of waiting callers.
  int64_t waiting() DL_EXCLUDES(mutex_);

 private:
  struct Waiter {
    int64_t bytes = 0;
    bool granted = false;
    CondVar turn;
  };

  void GiveBack(int64_t bytes) DL_EXCLUDES(mutex_);
  void Grant() DL_REQUIRES(mutex_);

  const int64_t bytes_;
  Mutex mutex_;
  int64_t free_ DL_GUARDED_BY(mutex_);
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  std::deque<Waiter*> queue_ DL_GUARDED_BY(mutex_);  // each on the stack of its caller
};

}  // namespace dl
