// Where blocks come from and go to. Storage, the executor's cache and tests implement these;
// dataset/ knows no other way to reach bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::dataset {

using Bytes = std::vector<std::byte>;

// Implementations are thread-safe and bound every wait with a deadline of their own.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // The encoded block whose SHA-256 is `sha256` (64 lower-case hex digits). The reader verifies
  // what it gets. Shared, because a store may hand out what its own cache holds.
  virtual StatusOr<std::shared_ptr<const Bytes>> Get(const std::string& sha256) = 0;
};

class BlockSink {
 public:
  virtual ~BlockSink() = default;
  // Stores an encoded block under its content's name. Putting a name that is there already is OK
  // and changes nothing.
  virtual Status Put(const std::string& sha256, std::span<const std::byte> bytes) = 0;
};

}  // namespace dl::dataset
