// The executor's cache of dataset blocks: of bounded size, in a folder of its own, kept across
// restarts. Content is checked against its name at every read, so a damaged entry counts as
// missing. Blocks are plain files, so a full or failing disk only disables the cache and never ends
// the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/status.h"

namespace dl::storage {

struct BlockCacheOptions {
  int64_t capacity_bytes = 0;  // upper bound of the files' size on disk; 0 keeps nothing
  int64_t min_free_bytes = limits::kBulkMinFreeBytes;  // a new block leaves at least this much free
};

// Thread-safe.
class BlockCache {
 public:
  // Opens or creates the cache in `dir`. Returns FailedPrecondition if another process uses it.
  static StatusOr<std::unique_ptr<BlockCache>> Open(const std::string& dir,
                                                    const BlockCacheOptions& options);
  ~BlockCache();

  // Returns the block, or nullopt if it is not cached or was damaged. A damaged entry is dropped.
  StatusOr<std::optional<std::string>> Get(std::string_view sha256);

  // Caches the block and drops the least recently used blocks to make room. Does not cache a block
  // that is larger than the capacity. Returns InvalidArgument if the content does not hash to the
  // name, ResourceExhausted if the disk is full; the caller may then continue without a cache.
  Status Put(std::string_view sha256, std::span<const std::byte> bytes);

  int64_t bytes() const;    // total size on disk
  int64_t damaged() const;  // entries dropped because they were damaged, since Open

 private:
  struct State;
  explicit BlockCache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::storage
