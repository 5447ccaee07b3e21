#include "executor/part_cache.h"

#include <algorithm>

namespace dl::executor {
namespace {

int64_t Bytes(const VerifiedPart& part) {
  return part.values->size() * static_cast<int64_t>(sizeof(float));
}

}  // namespace

VerifiedPart PartCache::Find(const std::string& sha256) {
  MutexLock lock(mutex_);
  auto found = std::find_if(entries_.begin(), entries_.end(),
                            [&](const Entry& entry) { return entry.name.sha256 == sha256; });
  if (found == entries_.end()) return {};
  entries_.splice(entries_.begin(), entries_, found);
  return entries_.front().part;
}

void PartCache::Insert(const PartName& name, VerifiedPart part) {
  MutexLock lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    auto entry = it++;
    const bool replaced = entry->name.sha256 == name.sha256;
    const bool outdated = entry->name.job == name.job && entry->name.round + 1 < name.round;
    if (replaced || outdated) Drop(entry);
  }
  bytes_ += Bytes(part);
  entries_.push_front({name, std::move(part)});
  while (entries_.size() > max_parts_ || (bytes_ > max_bytes_ && entries_.size() > 1))
    Drop(std::prev(entries_.end()));
}

void PartCache::Drop(std::list<Entry>::iterator entry) {
  bytes_ -= Bytes(entry->part);
  entries_.erase(entry);
}

std::vector<std::string> PartCache::Names() const {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name.sha256);
  return names;
}

}  // namespace dl::executor
