// A meta store whose disk blocks or fails when a test says so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/memory_meta_store.h"
#include "tests/support/status_matchers.h"

namespace dl::master {

// Blocks writes while a test holds it, and records the size of the largest batch.
class HeldStore final : public storage::MetaStore {
 public:
  Status Write(const storage::MetaBatch& batch) override {
    MutexLock lock(mutex_);
    waiting_ = held_;
    changed_.NotifyAll();
    while (held_) changed_.Wait(mutex_);
    DL_RETURN_IF_ERROR(failure_);
    largest_ = std::max(largest_, batch.bytes());
    return memory_.Write(batch);
  }
  StatusOr<std::optional<std::string>> Get(std::string_view key) override {
    return memory_.Get(key);
  }
  Status Scan(std::string_view prefix, const Visitor& visit) override {
    return memory_.Scan(prefix, visit);
  }
  uint64_t index() const override { return memory_.index(); }

  void Put(std::string key, std::string value) {
    storage::MetaBatch batch;
    batch.Put(std::move(key), std::move(value));
    DL_ASSERT_OK(memory_.Write(batch));
  }
  void Hold() {
    MutexLock lock(mutex_);
    held_ = true;
  }
  void Release() {
    MutexLock lock(mutex_);
    held_ = waiting_ = false;
    changed_.NotifyAll();
  }
  // Later writes, and a write that is blocked now, return this error.
  void Fail(Status failure) {
    MutexLock lock(mutex_);
    failure_ = std::move(failure);
  }
  // Waits until a write is blocked.
  void WaitForWrite() {
    MutexLock lock(mutex_);
    while (!waiting_) changed_.Wait(mutex_);
  }
  Status Reclaim(std::string_view prefix) override { return memory_.Reclaim(prefix); }
  uint64_t largest() {
    MutexLock lock(mutex_);
    return largest_;
  }

 private:
  storage::MemoryMetaStore memory_;
  Mutex mutex_;
  CondVar changed_;
  bool held_ DL_GUARDED_BY(mutex_) = false, waiting_ DL_GUARDED_BY(mutex_) = false;
  Status failure_ DL_GUARDED_BY(mutex_);
  uint64_t largest_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::master
