// A MetaStore in memory for the simulator and for tests. It keeps written and durable data apart: a
// crash loses data that is only written. Write errors can be injected.
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
    kLost,     // returns an error; the batch is not written and the store is dead
    kDurable,  // returns an error and the store is dead, but the batch is written
    kNoSpace,  // returns ResourceExhausted; nothing is written and the store stays usable
  };

  Status Write(const MetaBatch& batch) override DL_EXCLUDES(mutex_);
  StatusOr<std::optional<std::string>> Get(std::string_view key) override DL_EXCLUDES(mutex_);
  Status Scan(std::string_view prefix, const Visitor& visit) override DL_EXCLUDES(mutex_);
  Status Reclaim(std::string_view) override { return absl::OkStatus(); }
  uint64_t index() const override DL_EXCLUDES(mutex_);

  // Makes the n-th Write from now fail (1: the next). Empty batches do not count. 0 cancels the
  // injected error.
  void FailWrite(int64_t n, Failure failure) DL_EXCLUDES(mutex_);

  // With `false`, writes return OK but are not durable until Sync(), like a disk that ignores sync.
  // `true` makes all written batches durable. A test uses this to prove that its check detects lost
  // writes.
  void SetHonestSync(bool honest) DL_EXCLUDES(mutex_);
  // Makes all written batches durable.
  void Sync() DL_EXCLUDES(mutex_);

  // Simulates that the process ends and a new one opens the store: only durable data remains, and a
  // failed store works again.
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
