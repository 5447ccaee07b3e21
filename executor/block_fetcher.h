// Source of data blocks for an executor's readers: the block cache on disk first, then the master.
// While the disk hangs, the cache is not used.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/disk_calls.h"
#include "dataset/block_source.h"
#include "rpc/service.h"
#include "storage/block_cache.h"

namespace dl::executor {

// Thread-safe.
class BlockFetcher final : public dataset::BlockSource {
 public:
  // `master` must outlive the fetcher. `cache` may be null: an executor in the master's process
  // reads the master's store directly. `disk_limit`: see DiskCalls.
  BlockFetcher(rpc::ExecutorService& master, std::shared_ptr<storage::BlockCache> cache,
               Duration disk_limit = DiskCalls::kLimit);

  // Returns the block with this SHA-256. Errors carry a fault (executor/fault.h): the unit's if the
  // master's block is missing or damaged, else the network's or the master's. Errors of the cache
  // are not returned. Failed reads are logged, and failed writes when their number is a power of
  // two.
  StatusOr<std::shared_ptr<const dataset::Bytes>> Get(const std::string& sha256) override;

  // Sets the session with the master in which later requests are made; 0: none. The master answers
  // requests without a session as those of a client, from the memory that all clients share. If the
  // session has ended, requests are repeated without one.
  void UseSession(uint64_t session) { session_ = session; }

  int64_t fetched_bytes() const { return fetched_bytes_; }  // bytes received from the master
  int64_t cached_bytes() const { return cache_ == nullptr ? 0 : cache_->bytes(); }

 private:
  std::shared_ptr<const dataset::Bytes> GetCached(const std::string& sha256);
  void Keep(const std::string& sha256, const std::shared_ptr<const dataset::Bytes>& block);

  rpc::ExecutorService& master_;
  const std::shared_ptr<storage::BlockCache> cache_;  // shared with calls to its disk that hang
  DiskCalls disk_;
  std::atomic<uint64_t> session_{0};
  std::atomic<int64_t> fetched_bytes_{0};
  std::atomic<int64_t> failed_puts_{0};
};

}  // namespace dl::executor
