// The MetaStore on disk. Layout of its folder (docs/formats.md):
//   FORMAT    kind and schema number, read before anything else is touched
//   LOCK      flock of the one process that has the store open
//   MARK      high-water mark: two checksummed slots outside the database (storage/mark_file.h)
//   BALLAST   preallocated; given up to make room for an essential batch on a full disk
//   db/       the RocksDB database
// A batch is: RocksDB's log written and synced, the mark written and synced, reply. Every batch
// carries its index, so an open sees a gap in the log and, with the mark, a lost end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "storage/meta_store.h"

namespace dl::storage {

struct RocksMetaStoreOptions {
  bool accept_loss =
      false;  // opens at the last intact batch although acknowledged ones are missing
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
  // batches are missing or damaged; nothing was changed, and the remedy names --accept-loss),
  // ResourceExhausted (disk full).
  static StatusOr<std::unique_ptr<RocksMetaStore>> Open(const std::string& dir,
                                                        const RocksMetaStoreOptions& options);
  ~RocksMetaStore() override;

  Status Write(const MetaBatch& batch) override;
  Status CheckRoom() override;
  StatusOr<std::optional<std::string>> Get(std::string_view key) override;
  Status Scan(std::string_view prefix, const Visitor& visit) override;
  uint64_t index() const override;

 private:
  struct State;
  explicit RocksMetaStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dl::storage
