// Interfaces for reading and writing blocks, implemented by storage, the executor's cache and
// tests. This folder reaches the bytes of blocks only through them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::dataset {

using Bytes = std::vector<std::byte>;

// Implementations must be thread-safe and bound every wait with a deadline of their own. They
// decide about their errors, which readers return unchanged.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Returns the encoded block whose SHA-256 is `sha256` (64 lower-case hex digits). The caller
  // verifies the bytes. The pointer is shared, because a store may return what its own cache holds.
  virtual StatusOr<std::shared_ptr<const Bytes>> Get(const std::string& sha256) = 0;
};

// Errors are those of the implementation.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  // Stores an encoded block under its SHA-256. Does nothing and returns OK if the block exists
  // already.
  virtual Status Put(const std::string& sha256, std::span<const std::byte> bytes) = 0;
};

}  // namespace dl::dataset
