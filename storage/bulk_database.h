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
#include "storage/bulk_store.h"

namespace dl::storage {

struct BulkOptions {
  bool accept_loss = false;  // rebuild a damaged database from the table files that can be read
  bool drop_unsynced_on_kill = false;                  // tests: storage/unsynced_loss_env.h
  int64_t min_free_bytes = limits::kBulkMinFreeBytes;  // a write leaves at least this much free
  bool read_only = false;  // nothing of the folder is changed: for a full disk. Writes are errors
};

// Thread-safe. After an error of the disk the database closes itself and opens again at the next
// call, so it is usable as soon as the cause is gone.
class BulkDatabase final : public BulkStore {
 public:
  // `kind` goes into FORMAT, with schema 2; schema 1 is read and raised.
  // Errors as RocksMetaStore::Open.
  static StatusOr<std::unique_ptr<BulkDatabase>> Open(const std::string& dir, std::string_view kind,
                                                      const BulkOptions& options);
  ~BulkDatabase() override;

  // What Open would find, as far as looking shows; changes nothing. Errors: those with which Open
  // would refuse it. With `accept_loss`, kTables for one that would be rebuilt.
  enum class Content { kNothing, kNoTables, kTables };
  static StatusOr<Content> Look(const std::string& dir, std::string_view kind,
                                const BulkOptions& options);

  // Whether a write may go below `min_free_bytes`: for what gives more back.
  enum class Reserve : uint8_t { kKeep, kUse };
  Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill) override {
    return Ingest(bytes, fill, Reserve::kKeep);
  }
  Status Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill, Reserve reserve);
  Status Read(std::string_view key,
              const std::function<Status(std::string_view value)>& use) override;
  StatusOr<bool> Has(std::string_view key);
  Status DropFiles(std::string_view begin, std::string_view end) override;
  // DIR/lost-N, the first that is not there.
  std::string NewAside() const;
  Status SetFilesAside(std::string_view begin, std::string_view end,
                       const std::string& folder) override;
  StatusOr<std::vector<TableFile>> Files() override;  // their names are in db/

  const std::string& dir() const;

 private:
  struct State;
  explicit BulkDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::storage
