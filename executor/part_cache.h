// States that this executor fetched or produced, by name: the next unit's base is often here
// already, and a master that lost its memory may ask for them.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/float_buffer.h"
#include "base/mutex.h"

namespace dl::executor {

// Shared: a unit reads a part while it may already be dropped from the cache.
using SharedPart = std::shared_ptr<const FloatBuffer>;

// Thread-safe. Bounded by bytes; what was used longest ago goes first, but never the newest.
class PartCache {
 public:
  explicit PartCache(int64_t max_bytes) : max_bytes_(max_bytes) {}

  SharedPart Find(const std::string& sha256) DL_EXCLUDES(mutex_);  // null when absent
  void Insert(const std::string& sha256, SharedPart part) DL_EXCLUDES(mutex_);
  std::vector<std::string> Names() const DL_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::string sha256;
    SharedPart part;
  };
  const int64_t max_bytes_;
  mutable Mutex mutex_;
  std::list<Entry> entries_ DL_GUARDED_BY(mutex_);  // most recently used first
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::executor
