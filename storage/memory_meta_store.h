// A MetaStore in memory for the simulator and for tests. It keeps written and durable data apart: a
// crash loses data that is only written. Reads return written data. Write errors can be injected.
// The size of a batch is not limited.
#pragma once

#include <map>
#include <string>

#include "base/mutex.h"
#include "storage/meta_store.h"

namespace dl::storage {

class MemoryMetaStore final : public MetaStore {
 public:
  // How an injected write error behaves.
  enum class Failure {
    kLost,     // Write returns an error and does not write the batch; the store is dead
    kDurable,  // Write writes the batch as without the error, but returns it; the store is dead
    kNoSpace,  // Write returns ResourceExhausted and writes nothing; the store stays usable
  };

  Status Write(const MetaBatch& batch) override DL_EXCLUDES(mutex_);
  StatusOr<std::optional<std::string>> Get(std::string_view key) override DL_EXCLUDES(mutex_);
  Status Scan(std::string_view prefix, const Visitor& visit) override DL_EXCLUDES(mutex_);
  Status Reclaim(std::string_view) override { return absl::OkStatus(); }
  uint64_t index() const override DL_EXCLUDES(mutex_);

  // Makes the n-th Write from now fail (1: the next). Empty batches do not count. 0 cancels the
  // injected error.
  void FailWrite(int64_t n, Failure failure) DL_EXCLUDES(mutex_);

  // With `false`, Write returns OK but its batch is not durable until Sync(), as on a disk that
  // ignores sync. With `true`, the default, each Write is durable when it returns; all batches
  // written before become durable too. A test uses `false` to prove that it detects lost writes.
  void SetHonestSync(bool honest) DL_EXCLUDES(mutex_);
  // Makes all written batches durable.
  void Sync() DL_EXCLUDES(mutex_);

  // Simulates that the process ends and a new process opens the store. Only durable data remains, a
  // dead store works again, and an injected error that has not occurred yet is cancelled.
  void Crash() DL_EXCLUDES(mutex_);

 private:
  using Table = std::map<std::string, std::string, std::less<>>;
  static void Apply(const MetaBatch& batch, Table& table);

  mutable Mutex mutex_;
  Table written_ DL_GUARDED_BY(mutex_);
  Table durable_ DL_GUARDED_BY(mutex_);
  uint64_t written_index_ DL_GUARDED_BY(mutex_) = 0;
  uint64_t durable_index_ DL_GUARDED_BY(mutex_) = 0;
  bool honest_ DL_GUARDED_BY(mutex_) = true;
  int64_t fail_in_ DL_GUARDED_BY(mutex_) = 0;
  Failure failure_ DL_GUARDED_BY(mutex_) = Failure::kLost;
  Status dead_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::storage
