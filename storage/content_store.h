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

  // Stores the blobs that are missing, all or none, and replaces stored blobs that are damaged.
  // They are durable when it returns OK. After an error none is stored. Only after a failure of the
  // disk, a later start may find them. Returns InvalidArgument if a content does not hash to its
  // name or exceeds limits::kMaxBlockBytes, ResourceExhausted if the disk is full.
  virtual Status Put(std::span<const Blob> blobs) = 0;

  // Returns the names that are not stored or that a read found damaged, in the order of `names`.
  // Reads no content.
  virtual StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names) = 0;

  // Deletes those of `names` that are stored, all or none. The deletion is durable when it returns
  // OK. After an error, either no blob is deleted, or all are deleted and a later Delete, of any
  // names, frees their disk space.
  virtual Status Delete(std::span<const std::string> names) = 0;
};

}  // namespace dl::storage
