// States that this executor fetched, by name: the units of a round start from the same one, and a
// master that lost its memory may ask for the last ones.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/float_buffer.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/part_name.h"

namespace dl::executor {

// Shared: a unit reads a part while it may already be dropped from the cache.
using SharedPart = std::shared_ptr<const FloatBuffer>;

// With the list by which whoever is offered it verifies it. Null and empty: none.
struct VerifiedPart {
  SharedPart values;
  PieceHashes pieces;
};

// A part of the state of a job's committed round.
struct PartName {
  std::string job;
  int64_t round = 0;
  std::string sha256;
};

// Thread-safe. Of each job it keeps the parts of the newest round and the one before; bounded by
// bytes and by number too: what was used longest ago goes first, but never the newest.
class PartCache {
 public:
  explicit PartCache(int64_t max_bytes, size_t max_parts = limits::kMaxPartsKept)
      : max_bytes_(max_bytes), max_parts_(max_parts) {}

  VerifiedPart Find(const std::string& sha256) DL_EXCLUDES(mutex_);
  void Insert(const PartName& name, VerifiedPart part) DL_EXCLUDES(mutex_);
  std::vector<std::string> Names() const DL_EXCLUDES(mutex_);

 private:
  struct Entry {
    PartName name;
    VerifiedPart part;
  };
  void Drop(std::list<Entry>::iterator entry) DL_REQUIRES(mutex_);

  const int64_t max_bytes_;
  const size_t max_parts_;
  mutable Mutex mutex_;
  std::list<Entry> entries_ DL_GUARDED_BY(mutex_);  // most recently used first
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::executor
