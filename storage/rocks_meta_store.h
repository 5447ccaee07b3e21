// The MetaStore on disk. Layout of its folder (docs/formats.md):
//   FORMAT    kind and schema number, read before anything else is touched
//   LOCK      flock of the one process that has the store open
//   MARK      high-water mark: checksummed slots outside the database (storage/mark_file.h)
//   BALLAST   preallocated; given up to make room for an essential batch on a full disk
//   db/       the RocksDB database
//   lost-N/   what a salvage replaced (storage/meta_salvage.h)
// A batch is: RocksDB's log written and synced, the mark written and synced, reply. Every batch
// carries its index, so an open sees a gap in the log and, with the mark, a lost end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/limits.h"
#include "storage/meta_store.h"

namespace dl::storage {

struct RocksMetaStoreOptions {
  // Opens with what is left although acknowledged batches are missing or damaged, on a new
  // database; the old one stays beside it.
  bool accept_loss = false;
  bool must_be_there = false;          // a folder without a store is a loss, not a new one
  bool drop_unsynced_on_kill = false;  // tests: storage/unsynced_loss_env.h
  int64_t min_free_bytes =
      limits::kMetaMinFreeBytes;  // less free space than this: only essential batches
  int64_t ballast_bytes = limits::kMetaBallastBytes;  // 0: none
  int64_t write_buffer_bytes = limits::kMetaWriteBufferBytes;
};

class RocksMetaStore final : public MetaStore {
 public:
  // Opens, or creates, the store in the folder `dir`. Errors: FailedPrecondition (another process
  // has it), VersionMismatch (another schema, which is left as it is), DataLoss (acknowledged
  // batches are missing or damaged; nothing was changed, and the remedy names --accept-loss if that
  // may help), ResourceExhausted (disk full).
  static StatusOr<std::unique_ptr<RocksMetaStore>> Open(const std::string& dir,
                                                        const RocksMetaStoreOptions& options);
  ~RocksMetaStore() override;

  // A copy in memory of a store that is not changed: writes to it are lost with it. Works on a full
  // disk. Errors as Open.
  static StatusOr<std::unique_ptr<MetaStore>> ReadAll(const std::string& dir);

  // Whether the folder's store has ever acknowledged a batch, as its mark says; a damaged mark says
  // yes. Changes nothing.
  static StatusOr<bool> HasRecords(const std::string& dir);

  // Whether a loss was accepted, in this open or an earlier one, that nobody has settled since:
  // what no record names may be what a lost record named.
  StatusOr<bool> LostRecords();
  Status SettleLoss();

  // Asked before each batch from now on. An error ends the store: nothing is written any more, and
  // every call returns it. REQUIRES: nothing is being written.
  void CheckBeforeWrites(std::function<Status()> may_write);

  Status Write(const MetaBatch& batch) override;
  Status CheckRoom() override;
  StatusOr<std::optional<std::string>> Get(std::string_view key) override;
  Status Scan(std::string_view prefix, const Visitor& visit) override;
  Status Reclaim(std::string_view prefix) override;
  uint64_t index() const override;

 private:
  struct State;
  explicit RocksMetaStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::storage
