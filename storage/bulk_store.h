// Large contents in table files, as the checkpoint store sees them: the bulk database, or a
// stand-in in memory for tests (storage/memory_bulk_store.h). Keys are laid out so that contents
// that are deleted together fill table files of their own.
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
  // REQUIRES: keys in strictly ascending byte order.
  virtual Status Add(std::string_view key, std::span<const std::byte> value) = 0;
};

// Thread-safe.
class BulkStore {
 public:
  virtual ~BulkStore() = default;

  // Calls `fill`, then makes its keys visible and durable, all or nothing. `bytes` is the expected
  // size. Errors: those of `fill`; ResourceExhausted (disk full). An error stores nothing, unless
  // the disk failed, and the store stays usable.
  virtual Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill) = 0;

  // Calls `use` with the value (a view for that call) and returns its status; NotFound without a
  // value; DataLoss when the stored bytes are damaged.
  virtual Status Read(std::string_view key,
                      const std::function<Status(std::string_view value)>& use) = 0;

  // Deletes every table file whose keys all lie in [begin, end), and returns its disk space.
  virtual Status DropFiles(std::string_view begin, std::string_view end) = 0;
  // As DropFiles, but moves the files to `folder`, which is made when it does not exist.
  virtual Status SetFilesAside(std::string_view begin, std::string_view end,
                               const std::string& folder) = 0;

  struct TableFile {
    std::string name;
    std::string smallest_key, largest_key;
    int64_t bytes = 0;  // on disk
  };
  // All table files, by smallest key. Reads no content.
  virtual StatusOr<std::vector<TableFile>> Files() = 0;
};

}  // namespace dl::storage
