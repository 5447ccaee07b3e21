// Source of data blocks for an executor's readers: the block cache on disk first, then the master.
#pragma once

#include <atomic>
#include <cstdint>

#include "dataset/block_source.h"
#include "rpc/service.h"
#include "storage/block_cache.h"

namespace dl::executor {

// Thread-safe.
class BlockFetcher final : public dataset::BlockSource {
 public:
  // `master` and `cache` must outlive the fetcher. `cache` may be null: an executor in the master's
  // process reads the master's store directly.
  BlockFetcher(rpc::ExecutorService& master, storage::BlockCache* cache)
      : master_(master), cache_(cache) {}

  // Returns the block with this SHA-256. Errors carry a fault (executor/fault.h): the unit's if the
  // master's block is missing or damaged, else the network's or the master's. Errors of the cache
  // are logged only.
  StatusOr<std::shared_ptr<const dataset::Bytes>> Get(const std::string& sha256) override;

  int64_t fetched_bytes() const { return fetched_bytes_; }  // bytes received from the master
  int64_t cached_bytes() const { return cache_ == nullptr ? 0 : cache_->bytes(); }

 private:
  rpc::ExecutorService& master_;
  storage::BlockCache* cache_;
  std::atomic<int64_t> fetched_bytes_{0};
  std::atomic<int64_t> failed_puts_{0};
};

}  // namespace dl::executor
