// The executor's cache of dataset blocks: of bounded size, in a folder of its own, kept across
// restarts. Content is checked against its name at every read, so a damaged entry counts as
// missing. Blocks are plain files. On a full or failing disk Put returns an error, and Get still
// returns the blocks that can be read.
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
  int64_t capacity_bytes = 0;  // upper bound of bytes(); 0: no block is cached
  // Free space that must remain after a new block; otherwise Put returns ResourceExhausted.
  int64_t min_free_bytes = limits::kBulkMinFreeBytes;
};

// Thread-safe.
class BlockCache {
 public:
  // Opens or creates the cache in `dir`, and deletes the blocks that were added first if it exceeds
  // the capacity. Deletes the content of a cache of schema 1. Returns FailedPrecondition if another
  // process uses it or if `dir` has a store of another kind, VersionMismatch for a newer schema,
  // DataLoss for a damaged FORMAT, and errors of the file system.
  static StatusOr<std::unique_ptr<BlockCache>> Open(const std::string& dir,
                                                    const BlockCacheOptions& options);
  ~BlockCache();

  // Returns the block with this name (64 lower-case hex digits), or nullopt if it is not cached, is
  // damaged or cannot be read. A damaged or unreadable entry is dropped and counted by damaged().
  // Returns Unavailable if the process lacks files or memory, and an error if the entry cannot be
  // deleted.
  StatusOr<std::optional<std::string>> Get(std::string_view sha256);

  // Caches the block. Returns OK and does nothing if the block is cached already, or with its 4 KiB
  // of overhead exceeds the capacity. First drops the least recently used blocks to make room, also
  // if it then fails. The order of use is lost at a restart, which starts with the order of
  // insertion. Returns InvalidArgument if the content does not hash to the name, ResourceExhausted
  // if the disk is full, and other errors of the file system. After an error the block is not
  // cached. The caller may continue, except after InvalidArgument.
  Status Put(std::string_view sha256, std::span<const std::byte> bytes);

  const std::string& dir() const;
  // Returns the total size of the files, plus 4 KiB for each. Does not wait for the disk.
  int64_t bytes() const;
  int64_t damaged() const;  // entries that Get dropped since Open

 private:
  struct State;
  explicit BlockCache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::storage
