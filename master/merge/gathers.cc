#include "master/merge/gathers.h"

#include <utility>

namespace dl::master {

void Gathers::Expect(const ExpectGather& effect, int64_t bytes, FloatBufferPool& pool) {
  MutexLock lock(mutex_);
  arriving_[effect.number] = {.expected = std::make_shared<const ExpectGather>(effect),
                              .receiver = std::make_shared<Receiver>(bytes, pool)};
}

void Gathers::Drop(uint64_t number) {
  MutexLock lock(mutex_);
  arriving_.erase(number);
}

void Gathers::Clear() {
  MutexLock lock(mutex_);
  arriving_.clear();
  worker_parts_.clear();
}

std::optional<Gathers::Arriving> Gathers::Find(uint64_t number) const {
  MutexLock lock(mutex_);
  const auto found = arriving_.find(number);
  if (found == arriving_.end()) return std::nullopt;
  return found->second;
}

bool Gathers::MarkComplete(uint64_t number, absl::FunctionRef<void()> first) {
  MutexLock lock(mutex_);
  const auto found = arriving_.find(number);
  if (found == arriving_.end()) return false;
  // Two connections may deliver the data at the same time.
  if (std::exchange(found->second.receiver, nullptr) != nullptr) first();
  return true;
}

void Gathers::KeepWorkerPart(const std::string& key, SharedVector part) {
  MutexLock lock(mutex_);
  worker_parts_[key] = std::move(part);
}

SharedVector Gathers::WorkerPart(const std::string& key) const {
  MutexLock lock(mutex_);
  const auto found = worker_parts_.find(key);
  return found == worker_parts_.end() ? nullptr : found->second;
}

}  // namespace dl::master
