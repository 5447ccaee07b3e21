// The interface that the checkpoint store uses for large contents in table files. It is implemented
// by the bulk database, and in memory for tests (storage/memory_bulk_store.h). Keys are laid out so
// that contents that are deleted together have table files of their own.
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
  // Returns ResourceExhausted if the disk is full, and other errors of the file system. REQUIRES:
  // keys in strictly ascending byte order.
  virtual Status Add(std::string_view key, std::span<const std::byte> value) = 0;
};

// Thread-safe.
class BulkStore {
 public:
  virtual ~BulkStore() = default;

  // Calls `fill`, then makes its keys visible and durable, all or none, as one table file. `bytes`
  // is the expected size. Without keys, does nothing. Returns the errors of `fill`, and
  // ResourceExhausted if the disk is full. After an error the store stays usable and nothing is
  // stored; only after a failure of the disk the keys may be stored nevertheless.
  virtual Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill) = 0;

  // Calls `use` with the value and returns its status. The view is valid during the call of `use`.
  // Returns NotFound if the key does not exist, DataLoss if the stored bytes are damaged.
  virtual Status Read(std::string_view key,
                      const std::function<Status(std::string_view value)>& use) = 0;

  // Deletes every table file whose keys are all in [begin, end), and frees its disk space. This and
  // the functions below return the errors of FromRocks and of the file system.
  virtual Status DropFiles(std::string_view begin, std::string_view end) = 0;
  // Works like DropFiles, but first moves the files to `folder`, which is created if necessary.
  virtual Status MoveFilesTo(std::string_view begin, std::string_view end,
                             const std::string& folder) = 0;

  struct TableFile {
    std::string name;
    std::string smallest_key, largest_key;
    int64_t bytes = 0;  // on disk
  };
  // Returns all table files, sorted by smallest key. Reads no content.
  virtual StatusOr<std::vector<TableFile>> Files() = 0;
};

}  // namespace dl::storage
