#include "executor/slot.h"

#include <string>
#include <utility>

#include "base/long_time_slices.h"

namespace dl::executor {

Slot::Slot(int32_t number, std::unique_ptr<UnitComputer> computer)
    : number_(number), computer_(std::move(computer)), thread_("slot-" + std::to_string(number)) {
  thread_.Post([] { UseLongTimeSlices(); });
}

void Slot::Queue(uint64_t lease, std::function<void()> compute) {
  {
    MutexLock lock(mutex_);
    queued_[lease] = false;
  }
  thread_.Post(std::move(compute));
}

bool Slot::Begin(uint64_t lease) {
  MutexLock lock(mutex_);
  const bool aborted = queued_[lease];
  queued_.erase(lease);
  if (aborted || closed_) return false;
  running_ = lease;
  computer_->Begin();
  return true;
}

void Slot::End(Computation& computation) {
  MutexLock lock(mutex_);
  running_ = 0;
  computation.computing = false;
  computation.steps_done = computer_->steps_done();
  computation.steps_total = computer_->steps_total();
}

void Slot::Abort(uint64_t lease) {
  MutexLock lock(mutex_);
  const auto found = queued_.find(lease);
  if (found != queued_.end()) found->second = true;
  if (running_ == lease) computer_->Cancel();
}

void Slot::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  computer_->Cancel();
}

void Slot::Describe(uint64_t lease, int64_t blocks_fetched, Computation& computation,
                    rpc::UnitProgress& progress) {
  MutexLock lock(mutex_);
  if (running_ != lease) return;
  progress.steps_done = computer_->steps_done();
  progress.steps_total = computer_->steps_total();
  if (computer_->reading()) {
    progress.computing = false;
    computation.bytes_moved += blocks_fetched - blocks_seen_;
  }
  blocks_seen_ = blocks_fetched;
}

}  // namespace dl::executor
