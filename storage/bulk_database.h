// The *bulk* database of the checkpoint store and the blob store. Content is written as table files
// that are ingested whole. This is five to ten times faster than a log, and a full disk is then an
// error after which the database stays usable. There is no log and no automatic compaction. Keys
// are laid out so that contents that are deleted together have table files of their own. Folder:
// FORMAT, LOCK, staging/ (files being written; emptied at open), db/ (RocksDB), lost-N/ (files
// given up), unlisted/ (storage/bulk_inspection.h), rebuilt/ (storage/bulk_salvage.h), damaged/
// (marks of BlobStore).
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
#include "storage/bulk_store.h"

namespace dl::storage {

struct BulkOptions {
  bool accept_loss = false;  // rebuild a damaged database from the table files that can be read
  bool drop_unsynced_on_kill = false;  // tests: storage/unsynced_loss_env.h
  // Free space that must remain after a write of the expected size; otherwise it is refused.
  int64_t min_free_bytes = limits::kBulkMinFreeBytes;
  // For a full disk: change no data in the folder. Open returns DataLoss if it has no database.
  // Ingest returns ResourceExhausted, and deletions return errors.
  bool read_only = false;
  // With read_only: other processes may open the folder after Open has returned. If they delete a
  // table that was not read yet, reading it returns an error. Ignored without read_only.
  bool shared = false;
};

// Thread-safe. After RocksDB fails to ingest or to delete a file, the database closes itself and
// opens again at the next call, so it is usable as soon as the cause is removed.
class BulkDatabase final : public BulkStore {
 public:
  // Opens, or creates, the database in `dir`. `kind` is written to FORMAT, with schema 2; schema 1
  // is read, and FORMAT is changed to 2 unless the database is opened read-only. Returns
  // FailedPrecondition if another process, or this one, has it open, or if the folder has a store
  // of another kind. Returns VersionMismatch for another schema, DataLoss if it is damaged and
  // `accept_loss` is false, and errors of the file system.
  static StatusOr<std::unique_ptr<BulkDatabase>> Open(const std::string& dir, std::string_view kind,
                                                      const BulkOptions& options);
  ~BulkDatabase() override;

  enum class Content {
    kNothing,   // no database
    kNoTables,  // an empty database
    kTables,    // a database with content
  };
  // Returns what Open would find, without changing anything. Returns the errors with which Open
  // would fail, as far as they can be seen without a lock and without opening for writing. A
  // database that is in use is therefore no error. A database that Open would rebuild because of
  // `accept_loss` counts as kTables.
  static StatusOr<Content> ReadContent(const std::string& dir, std::string_view kind,
                                       const BulkOptions& options);

  // Whether a write must leave `min_free_bytes` free (kKeep) or may use them (kUse). kUse is for
  // writes that lead to a deletion of more than they write.
  enum class Reserve : uint8_t { kKeep, kUse };
  Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill) override {
    return Ingest(bytes, fill, Reserve::kKeep);
  }
  Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill, Reserve reserve);
  Status Read(std::string_view key,
              const std::function<Status(std::string_view value)>& use) override;
  // Returns true if the key exists. Reads its value, and returns DataLoss if the value is damaged.
  StatusOr<bool> Has(std::string_view key);
  Status DropFiles(std::string_view begin, std::string_view end) override;
  // Returns the path of the first DIR/lost-N, N = 1, 2, ..., that does not exist. Creates nothing.
  std::string NewLostFolder() const;
  Status MoveFilesTo(std::string_view begin, std::string_view end,
                     const std::string& folder) override;
  StatusOr<std::vector<TableFile>> Files() override;  // the files are in db/

  const std::string& dir() const;

 private:
  struct State;
  explicit BulkDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::storage
