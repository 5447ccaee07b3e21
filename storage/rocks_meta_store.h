// The MetaStore on disk. Layout of its folder (docs/formats.md):
//   FORMAT    kind and schema number, read before any other file
//   LOCK      flock of the one process that has the store open
//   MARK      high-water mark: checksummed slots outside the database (storage/mark_file.h)
//   BALLAST   preallocated; deleted to make room for an essential batch on a full disk
//   db/       the RocksDB database
//   lost-N/   files that a salvage replaced (storage/meta_salvage.h)
//
// To write a batch, RocksDB's log is written and synced, then the mark is written and synced, then
// Write returns. Every batch carries its index, so Open detects a gap in the log. If the last index
// is below the mark, the end of the log is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/limits.h"
#include "storage/meta_store.h"

namespace dl::storage {

struct RocksMetaStoreOptions {
  // Open even if acknowledged batches are missing or damaged: build a new database from what can be
  // read, and keep the old one beside it.
  bool accept_loss = false;
  bool must_exist = false;             // return DataLoss for a missing store; do not create it
  bool drop_unsynced_on_kill = false;  // tests: storage/unsynced_loss_env.h
  // Free space that must remain after a batch. A batch that would leave less is refused, unless it
  // is essential.
  int64_t min_free_bytes = limits::kMetaMinFreeBytes;
  int64_t ballast_bytes = limits::kMetaBallastBytes;           // 0: no ballast
  int64_t write_buffer_bytes = limits::kMetaWriteBufferBytes;  // RocksDB's write_buffer_size
};

class RocksMetaStore final : public MetaStore {
 public:
  // Opens, or creates, the store in the folder `dir`. Returns:
  //
  //   FailedPrecondition   another process, or this one, has the store open, or the folder has a
  //                        store of another kind
  //   VersionMismatch      another schema; the data is unchanged
  //   DataLoss             acknowledged batches are missing or damaged, and `accept_loss` is false
  //                        or nothing can be read; or the store is missing and must exist. The data
  //                        is unchanged. The remedy names --accept-loss if that may help.
  //   ResourceExhausted    the disk is full
  //
  // and errors of the file system.
  static StatusOr<std::unique_ptr<RocksMetaStore>> Open(const std::string& dir,
                                                        const RocksMetaStoreOptions& options);
  ~RocksMetaStore() override;

  // Returns a copy of all records in memory and changes no data. The store is locked only until
  // this function returns. Writes to the copy are not stored. The index() of the copy is not that
  // of the store. Works on a full disk. Returns the errors of Open without `accept_loss`, and an
  // error if no store exists.
  static StatusOr<std::unique_ptr<MetaStore>> ReadAll(const std::string& dir);

  // Returns true if the mark shows that the folder's store has acknowledged a batch, or if the mark
  // is damaged. Changes nothing. Returns an error if the mark cannot be read.
  static StatusOr<bool> HasRecords(const std::string& dir);

  // Returns true if an Open, this one or an earlier one, rebuilt the store after a loss, and
  // SettleLoss was not called since. Data in other stores that no record names may then belong to a
  // lost record, so it must not be deleted. Returns the errors of Get.
  StatusOr<bool> LostRecords();
  // Makes LostRecords return false from now on, durably. Returns the errors of Write.
  Status SettleLoss();

  // Sets a function that is called before each later batch, by the thread that writes. If it
  // returns an error, the batch is not written and the store is dead: this write and all later
  // calls return the error. The function must not call the store.
  void CheckBeforeWrites(std::function<Status()> may_write);

  Status Write(const MetaBatch& batch) override;
  Status CheckFreeSpace() override;
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
