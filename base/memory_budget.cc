#include "base/memory_budget.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl {

MemoryBudget::~MemoryBudget() {
  MutexLock lock(mutex_);
  DL_CHECK(free_ == bytes_ && queue_.empty());
}

MemoryBudget::Charge& MemoryBudget::Charge::operator=(Charge&& other) noexcept {
  if (this == &other) return *this;
  ShrinkTo(0);
  budget_ = std::exchange(other.budget_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void MemoryBudget::Charge::ShrinkTo(int64_t bytes) {
  if (bytes >= bytes_) return;
  budget_->GiveBack(bytes_ - bytes);
  bytes_ = bytes;
}

StatusOr<MemoryBudget::Charge> MemoryBudget::Take(int64_t bytes, Instant deadline) {
  DL_CHECK(bytes >= 0 && bytes <= bytes_);
  Waiter waiter{.bytes = bytes};
  MutexLock lock(mutex_);
  queue_.push_back(&waiter);
  Grant();
  while (!waiter.granted && !closed_) {
    const Duration left = deadline - Clock::Real().Now();
    if (left <= Duration::zero()) break;
    waiter.turn.WaitFor(mutex_, std::min<Duration>(left, std::chrono::hours(1)));
  }
  if (waiter.granted) return Charge(this, bytes);
  std::erase(queue_, &waiter);
  Grant();  // smaller requests may have waited for this one
  return Unavailable(
      {.message = absl::StrCat("no memory for ", bytes,
                               " bytes: other requests use all the memory for requests"),
       .remedy = "Try again later"});
}

void MemoryBudget::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  for (Waiter* waiter : queue_) waiter->turn.NotifyOne();
}

int64_t MemoryBudget::free() {
  MutexLock lock(mutex_);
  return free_;
}

int64_t MemoryBudget::waiting() {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(queue_.size());
}

void MemoryBudget::GiveBack(int64_t bytes) {
  MutexLock lock(mutex_);
  free_ += bytes;
  Grant();
}

void MemoryBudget::Grant() {
  while (!closed_ && !queue_.empty() && queue_.front()->bytes <= free_) {
    Waiter* const first = queue_.front();
    queue_.pop_front();
    free_ -= first->bytes;
    first->granted = true;
    first->turn.NotifyOne();
  }
}

}  // namespace dl
