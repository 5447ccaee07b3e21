// The executor's cache of dataset blocks: bounded, in a folder of its own, survives a restart.
// Content is checked against its name at every read, so a damaged entry counts as missing. A full
// or failing disk costs the cache and nothing else: blocks are plain files, and no error ends the
// process.
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
  int64_t capacity_bytes = 0;  // upper bound of the blocks' files on disk; 0: nothing is kept
  int64_t min_free_bytes = limits::kBulkMinFreeBytes;  // a new block leaves at least this much free
};

// Thread-safe.
class BlockCache {
 public:
  // Opens or creates the cache in `dir`. FailedPrecondition when another process has it.
  static StatusOr<std::unique_ptr<BlockCache>> Open(const std::string& dir,
                                                    const BlockCacheOptions& options);
  ~BlockCache();

  // The block, or none when it is not here (or was damaged: the entry is then dropped).
  StatusOr<std::optional<std::string>> Get(std::string_view sha256);

  // Keeps the block, dropping those that were not used for longest to make room; one larger than
  // the capacity is not kept. InvalidArgument when the content does not hash to the name;
  // ResourceExhausted when the disk is full (the caller may go on without a cache).
  Status Put(std::string_view sha256, std::span<const std::byte> bytes);

  int64_t bytes() const;    // on disk
  int64_t damaged() const;  // entries dropped because they were damaged, since Open

 private:
  struct State;
  explicit BlockCache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::storage
