#include "executor/part_cache.h"

#include <algorithm>

namespace dl::executor {
namespace {

int64_t BytesOf(const SharedPart& part) {
  return part->size() * static_cast<int64_t>(sizeof(float));
}

}  // namespace

SharedPart PartCache::Find(const std::string& sha256) {
  MutexLock lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (it->sha256 != sha256) continue;
    entries_.splice(entries_.begin(), entries_, it);
    return entries_.front().part;
  }
  return nullptr;
}

void PartCache::Insert(const std::string& sha256, SharedPart part) {
  MutexLock lock(mutex_);
  const auto same = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const Entry& e) { return e.sha256 == sha256; });
  if (same != entries_.end()) return;
  bytes_ += BytesOf(part);
  entries_.push_front({sha256, std::move(part)});
  while (bytes_ > max_bytes_ && entries_.size() > 1) {
    bytes_ -= BytesOf(entries_.back().part);
    entries_.pop_back();
  }
}

std::vector<std::string> PartCache::Names() const {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.sha256);
  return names;
}

}  // namespace dl::executor
