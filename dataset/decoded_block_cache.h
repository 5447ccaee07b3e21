// A cache of decoded blocks, bounded in bytes. Several datasets and readers may share it. The least
// recently used block is removed first. Readers keep the blocks of their windows alive, so total
// memory exceeds the bound only by blocks in use.
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
  int64_t bytes_read = 0;  // encoded bytes read from the source
  int64_t bytes_held = 0;  // current size of the cached blocks
};

// Thread-safe.
class DecodedBlockCache {
 public:
  // `source` must outlive the cache.
  explicit DecodedBlockCache(BlockSource& source,
                             int64_t max_bytes = limits::kDecodedBlockCacheBytes)
      : source_(source), max_bytes_(max_bytes) {}

  // Returns the block of `info`, from the cache or from the source. A block from the source is
  // verified first: SHA-256, layout, `schema` and number of examples. A damaged block gives
  // DataLoss, and an unknown version VersionMismatch; both name the block. Other errors are those
  // of the source. Errors are not kept: the next call reads again. If several threads miss the same
  // block, one reads it and the others wait. If that read fails, or the cache does not keep the
  // block, another thread reads it again. The source bounds each read with a deadline.
  StatusOr<std::shared_ptr<const Block>> Get(const BlockInfo& info, const Schema& schema)
      DL_EXCLUDES(mutex_);

  BlockCacheStats stats() const DL_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::string sha256;
    Schema schema;  // with which the block was checked
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
