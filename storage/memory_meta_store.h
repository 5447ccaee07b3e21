// A MetaStore in memory for the simulator and for tests: what is durable and what is only written
// are kept apart, a crash loses the second, and writes fail when they are told to.
#pragma once

#include <map>
#include <string>

#include "base/mutex.h"
#include "storage/meta_store.h"

namespace dl::storage {

class MemoryMetaStore final : public MetaStore {
 public:
  // What a failing write leaves behind.
  enum class Failure {
    kLost,     // an error; nothing of the batch is there after the crash
    kDurable,  // an error, although the batch is on the disk (killed between sync and reply)
    kNoSpace,  // ResourceExhausted: nothing written, the store lives
  };

  Status Write(const MetaBatch& batch) override DL_EXCLUDES(mutex_);
  StatusOr<std::optional<std::string>> Get(std::string_view key) override DL_EXCLUDES(mutex_);
  Status Scan(std::string_view prefix, const Visitor& visit) override DL_EXCLUDES(mutex_);
  Status Reclaim(std::string_view) override { return absl::OkStatus(); }
  uint64_t index() const override DL_EXCLUDES(mutex_);

  // The n-th Write from now (1: the next one) fails. 0 takes the order back.
  void FailWrite(int64_t n, Failure failure) DL_EXCLUDES(mutex_);

  // A disk that lies: from now on, with `false`, writes are answered OK but are not durable until
  // Sync(). A test plants this to show that its check would notice.
  void SetHonestSync(bool honest) DL_EXCLUDES(mutex_);
  void Sync() DL_EXCLUDES(mutex_);

  // The process ends and a new one opens the store: only what is durable is left, a dead store
  // lives again.
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
