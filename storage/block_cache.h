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
  int64_t capacity_bytes = 0;                          // upper bound of bytes(); 0 keeps nothing
  int64_t min_free_bytes = limits::kBulkMinFreeBytes;  // a new block leaves at least this much free
};

// Thread-safe.
class BlockCache {
 public:
  // Opens or creates the cache in `dir`, and drops the oldest blocks if it exceeds the capacity.
  // Returns FailedPrecondition if another process uses it, the errors of CheckFormat, and errors of
  // the file system.
  static StatusOr<std::unique_ptr<BlockCache>> Open(const std::string& dir,
                                                    const BlockCacheOptions& options);
  ~BlockCache();

  // Returns the block with this name (64 lower-case hex digits), or nullopt if it is not cached, is
  // damaged or cannot be read. A damaged or unreadable entry is dropped and counted by damaged().
  // Returns Unavailable if the process lacks files or memory, and an error if the entry cannot be
  // deleted.
  StatusOr<std::optional<std::string>> Get(std::string_view sha256);

  // Caches the block, unless it is cached or larger than the capacity. Drops the least recently
  // used blocks to make room. The order of use is lost at a restart, which starts with the order of
  // insertion. Returns InvalidArgument if the content does not hash to the name, ResourceExhausted
  // if the disk is full, and other errors of the file system. The caller may continue after every
  // error except InvalidArgument; the block is not cached then.
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
