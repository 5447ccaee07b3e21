// The *bulk* database under the checkpoint store, the blob store and the block cache. Content is
// written as table files and taken in whole (five to ten times faster than through a log, and a
// full disk is then a plain error); there is no log and no automatic compaction. Keys are laid out
// so that what is deleted together fills files of its own. Folder: FORMAT, LOCK, staging/ (files
// being written; emptied at open), db/ (RocksDB), lost-N/ (what was given up), unlisted/
// (storage/bulk_inspection.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/status.h"

namespace dl::storage {

struct BulkOptions {
  bool accept_loss = false;  // rebuild a damaged database from the table files that can be read
  bool drop_unsynced_on_kill = false;                  // tests: storage/unsynced_loss_env.h
  int64_t min_free_bytes = limits::kBulkMinFreeBytes;  // a write leaves at least this much free
};

// One table file under construction.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  // REQUIRES: keys in strictly ascending byte order.
  virtual Status Add(std::string_view key, std::span<const std::byte> value) = 0;
};

// Thread-safe. After an error of the disk the database closes itself and opens again at the next
// call, so it is usable as soon as the cause is gone.
class BulkDatabase {
 public:
  // `kind` goes into FORMAT: "bulk", of schema 2, or 1, which is read and raised; "cache", of 1.
  // Errors as RocksMetaStore::Open.
  static StatusOr<std::unique_ptr<BulkDatabase>> Open(const std::string& dir, std::string_view kind,
                                                      const BulkOptions& options);
  ~BulkDatabase();

  // What Open would find, as far as looking shows; changes nothing. Errors: those with which Open
  // would refuse it. With `accept_loss`, kTables for one that would be rebuilt.
  enum class Content { kNothing, kNoTables, kTables };
  static StatusOr<Content> Look(const std::string& dir, std::string_view kind,
                                const BulkOptions& options);

  // Whether a write may go below `min_free_bytes`: for what gives more back.
  enum class Reserve : uint8_t { kKeep, kUse };
  // Calls `fill`, then makes what it added visible and durable, all or nothing. `bytes`: about how
  // much that will be. Errors: those of `fill`; ResourceExhausted (disk full). Nothing is stored
  // then, unless the disk failed, and the database stays usable.
  Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill,
                Reserve reserve = Reserve::kKeep);

  // Calls `use` with the value (a view for that call) and returns its status; NotFound without a
  // value; DataLoss when the stored bytes are damaged.
  Status Read(std::string_view key, const std::function<Status(std::string_view value)>& use);
  StatusOr<bool> Has(std::string_view key);

  // Deletes every table file whose keys all lie in [begin, end), and returns its disk space.
  Status DropFiles(std::string_view begin, std::string_view end);

  // DIR/lost-N, the first that is not there.
  std::string NewAside() const;
  // As DropFiles, but leaves the files in `folder`, a NewAside(), made when it is not there.
  Status SetFilesAside(std::string_view begin, std::string_view end, const std::string& folder);

  struct TableFile {
    std::string name;  // in db/
    std::string smallest_key, largest_key;
    int64_t bytes = 0;  // on disk
  };
  // All table files, by smallest key. Reads no content.
  StatusOr<std::vector<TableFile>> Files();

  const std::string& dir() const;

 private:
  struct State;
  explicit BulkDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::storage
