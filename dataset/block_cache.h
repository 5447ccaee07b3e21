// Decoded blocks that all readers of a process share, bounded in bytes; what was used longest ago
// goes first. A reader keeps what it holds: the bound is on what nobody holds any more plus what
// somebody does, so it is exceeded only by windows in use.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/status.h"
#include "dataset/block.h"
#include "dataset/block_source.h"
#include "dataset/manifest.h"

namespace dl::dataset {

struct BlockCacheStats {
  int64_t hits = 0;
  int64_t misses = 0;
  int64_t bytes_read = 0;  // encoded bytes that came from the source
  int64_t bytes_held = 0;  // now
};

// Thread-safe.
class DecodedBlockCache {
 public:
  // `source` outlives the cache.
  explicit DecodedBlockCache(BlockSource& source,
                             int64_t max_bytes = limits::kDecodedBlockCacheBytes)
      : source_(source), max_bytes_(max_bytes) {}

  // The block of `info`, verified: its SHA-256, layout, `schema` and number of examples. Damage is
  // DataLoss that names the block; the source's errors pass through. Of several threads that miss
  // one block, one reads and the others wait for it, as long as the source's own deadline lets it.
  StatusOr<std::shared_ptr<const Block>> Get(const BlockInfo& info, const Schema& schema)
      DL_EXCLUDES(mutex_);

  BlockCacheStats stats() const DL_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::string sha256;
    Schema schema;  // that the block was checked against
    std::shared_ptr<const Block> block;
  };

  StatusOr<std::shared_ptr<const Block>> Read(const BlockInfo& info, const Schema& schema);
  void Insert(Entry entry) DL_REQUIRES(mutex_);
  void Erase(std::list<Entry>::iterator entry) DL_REQUIRES(mutex_);

  BlockSource& source_;
  const int64_t max_bytes_;
  mutable Mutex mutex_;
  CondVar loaded_;
  std::list<Entry> entries_ DL_GUARDED_BY(mutex_);  // most recently used first
  absl::flat_hash_map<std::string, std::list<Entry>::iterator> by_name_ DL_GUARDED_BY(mutex_);
  std::set<std::string> loading_ DL_GUARDED_BY(mutex_);
  BlockCacheStats stats_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::dataset
