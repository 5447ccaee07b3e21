#include "master/merge/offered_parts.h"

#include <utility>

namespace dl::master {

void OfferedParts::Expect(const std::string& sha256) {
  MutexLock lock(mutex_);
  expected_.emplace(sha256, nullptr);
}

std::shared_ptr<Receiver> OfferedParts::ReceiverOf(const std::string& sha256, int64_t bytes,
                                                   FloatBufferPool& pool) {
  MutexLock lock(mutex_);
  const auto found = expected_.find(sha256);
  if (found == expected_.end()) return nullptr;
  if (found->second == nullptr) found->second = std::make_shared<Receiver>(bytes, pool);
  return found->second;
}

void OfferedParts::Arrived(const std::string& sha256, SharedVector vector) {
  MutexLock lock(mutex_);
  arrived_[sha256] = std::move(vector);
}

std::map<std::string, SharedVector> OfferedParts::Take(const StateNames& names) {
  std::map<std::string, SharedVector> parts;
  MutexLock lock(mutex_);
  for (const auto& [key, name] : names.parts) parts[key] = arrived_[name];
  arrived_.clear();
  expected_.clear();
  return parts;
}

void OfferedParts::Clear() {
  MutexLock lock(mutex_);
  expected_.clear();
  arrived_.clear();
}

}  // namespace dl::master
