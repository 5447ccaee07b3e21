// Cache of state parts that this executor fetched, by name. All training units of a round start
// from the same global parts. A master that lost its memory may also ask for the most recent ones.
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

// Shared ownership: a unit may still read a part after the cache has dropped it.
using SharedPart = std::shared_ptr<const FloatBuffer>;

// A part and its piece hashes. The receiver of an offered part verifies it with these hashes. Null
// and empty: no part.
struct VerifiedPart {
  SharedPart values;
  PieceHashes pieces;
};

// Identifies a part of the state after a committed round of a job.
struct PartName {
  std::string job;
  int64_t round = 0;
  std::string sha256;
};

// Thread-safe. Keeps the parts of the newest round of each job and of the round before it. Also
// bounded by bytes and by number: the least recently used part is dropped first, never the newest.
class PartCache {
 public:
  explicit PartCache(int64_t max_bytes, size_t max_parts = limits::kMaxPartsKept)
      : max_bytes_(max_bytes), max_parts_(max_parts) {}

  // Returns the part and marks it as used, or an empty VerifiedPart.
  VerifiedPart Find(const std::string& sha256) DL_EXCLUDES(mutex_);
  // Adds the part, replaces a part with the same SHA-256, and drops outdated parts of its job.
  void Insert(const PartName& name, VerifiedPart part) DL_EXCLUDES(mutex_);
  // Returns the SHA-256 of all parts, the most recently used first.
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
