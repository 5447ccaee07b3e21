// Bytes that many callers share: whoever wants some waits its turn instead of allocating beside the
// others.
#pragma once

#include <cstdint>
#include <deque>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl {

// Thread-safe. Counts only: what is charged here is allocated elsewhere, afterwards.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t bytes) : bytes_(bytes), free_(bytes) {}
  ~MemoryBudget();  // every charge is given back by then
  MemoryBudget(const MemoryBudget&) = delete;

  // Bytes that are somebody's until its end. Of one thread at a time.
  class Charge {
   public:
    Charge() = default;
    Charge(Charge&& other) noexcept { *this = std::move(other); }
    Charge& operator=(Charge&& other) noexcept;
    ~Charge() { ShrinkTo(0); }

    int64_t bytes() const { return bytes_; }
    // Gives back what is beyond `bytes`.
    void ShrinkTo(int64_t bytes);

   private:
    friend class MemoryBudget;
    Charge(MemoryBudget* budget, int64_t bytes) : budget_(budget), bytes_(bytes) {}

    MemoryBudget* budget_ = nullptr;
    int64_t bytes_ = 0;
  };

  // Waits until that many are free and everybody who came before has got theirs. Unavailable when
  // that is not so by `deadline`, or after Close. REQUIRES: no more than the whole budget.
  StatusOr<Charge> Take(int64_t bytes, Instant deadline) DL_EXCLUDES(mutex_);

  // Whoever waits gives up, and later callers do not wait.
  void Close() DL_EXCLUDES(mutex_);

  int64_t free() DL_EXCLUDES(mutex_);
  // How many wait.
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
