// The interface of a store of large values in table files. CheckpointStore uses it. The bulk
// database implements it on disk, and storage/memory_bulk_store.h in memory for tests. Values are
// deleted by whole table files, so the caller writes values that it deletes together with one call
// of Ingest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::storage {

// A table file under construction.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  // Copies a key and its value into the file. Returns an error if `key` is not after the last key
  // in byte order, ResourceExhausted if the disk is full, and other errors of the file system.
  virtual Status Add(std::string_view key, std::span<const std::byte> value) = 0;
};

// Thread-safe.
class BulkStore {
 public:
  virtual ~BulkStore() = default;

  // Calls `fill` once, then makes the keys that it added visible and durable, all or none, as one
  // table file. Stores nothing if `fill` adds no key. `bytes` is the expected size of the file, for
  // which the disk must have room. Returns the errors of `fill`, and ResourceExhausted if the disk
  // is full. After an error the store stays usable and nothing is stored. Only after a failure of
  // the disk the keys may be stored nevertheless. REQUIRES: the store has none of the keys.
  virtual Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill) = 0;

  // Calls `use` with the value and returns the status of `use`. The view is valid during the call
  // of `use`. Returns NotFound if the key does not exist, DataLoss if the stored bytes are damaged;
  // `use` is then not called.
  virtual Status Read(std::string_view key,
                      const std::function<Status(std::string_view value)>& use) = 0;

  // Deletes every table file whose keys are all in [begin, end), and frees its disk space. A file
  // with a key outside of the range stays whole. This and the functions below return errors of the
  // database and of the file system.
  virtual Status DropFiles(std::string_view begin, std::string_view end) = 0;
  // Works like DropFiles, but keeps the deleted files in `folder`, which is created if necessary.
  // REQUIRES: `folder` is on the file system of the store.
  virtual Status MoveFilesTo(std::string_view begin, std::string_view end,
                             const std::string& folder) = 0;

  struct TableFile {
    std::string name;                       // of the file, without a folder
    std::string smallest_key, largest_key;  // the first and the last key in the file
    int64_t bytes = 0;                      // on disk
  };
  // Returns all table files, sorted by smallest key. Reads no content.
  virtual StatusOr<std::vector<TableFile>> Files() = 0;
};

}  // namespace dl::storage
