// The interface through which the master stores and deletes the dataset blocks of jobs. It is
// implemented by the blob store, and by a simulated disk in tests.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::storage {

struct Blob {
  std::string sha256;  // 64 lower-case hex digits
  std::span<const std::byte> bytes;
};

// Thread-safe. Errors in addition to those listed are those of the store's disk.
class ContentStore {
 public:
  virtual ~ContentStore() = default;

  // Stores the blobs that are missing. They are durable when it returns OK. After an error none is
  // stored; only after a failure of the disk a later start may find them. A damaged stored blob is
  // replaced. Returns InvalidArgument if a content does not hash to its name or exceeds
  // kMaxBlockBytes, ResourceExhausted if the disk is full.
  virtual Status Put(std::span<const Blob> blobs) = 0;

  // Returns the names that are not stored or that a read found damaged, in the order of `names`.
  // Reads no content.
  virtual StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names) = 0;

  // Deletes those of `names` that are stored. The deletion is durable when it returns OK; a kill
  // leaves all of them or none. After an error either none is deleted, or all are and a later
  // Delete returns the space.
  virtual Status Delete(std::span<const std::string> names) = 0;
};

}  // namespace dl::storage
