// The seam to durable metadata: jobs, states, answers, the round log, checkpoint manifests. One
// batch is one transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace dl::storage {

// Changes that become visible together or not at all; a later change of a key wins over an earlier
// one. Not thread-safe.
class MetaBatch {
 public:
  struct Change {
    std::string key;
    std::optional<std::string> value;  // none: the key is deleted
    bool prefix = false;               // and every other key that begins with it
  };

  // Keys are not empty and do not begin with a zero byte (those are the store's own).
  void Put(std::string key, std::string value) {
    bytes_ += key.size() + value.size();
    changes_.push_back({std::move(key), std::move(value)});
  }
  void Delete(std::string key) {
    bytes_ += key.size();
    changes_.push_back({std::move(key), std::nullopt});
  }
  // Every key that begins with it; it is not empty.
  void DeletePrefix(std::string prefix) {
    bytes_ += prefix.size();
    changes_.push_back({std::move(prefix), std::nullopt, true});
  }
  // Everything of `later`, behind what is here.
  void Append(MetaBatch later) {
    bytes_ += later.bytes_;
    essential_ |= later.essential_;
    changes_.insert(changes_.end(), std::move_iterator(later.changes_.begin()),
                    std::move_iterator(later.changes_.end()));
  }
  // This batch may use the space that is held back for it when the disk is full: the one that says
  // why a job stopped.
  void MarkEssential() { essential_ = true; }

  bool empty() const { return changes_.empty(); }
  bool essential() const { return essential_; }
  uint64_t bytes() const { return bytes_; }
  const std::vector<Change>& changes() const { return changes_; }

 private:
  std::vector<Change> changes_;
  uint64_t bytes_ = 0;
  bool essential_ = false;
};

// Fails with InvalidArgument when a key of `batch` is not allowed.
Status CheckKeys(const MetaBatch& batch);

// Thread-safe. Readers see only what is durable, except in a store made for tests.
class MetaStore {
 public:
  virtual ~MetaStore() = default;

  // Atomic and synced: durable when it returns OK; an empty batch is OK and does nothing. Errors
  // that leave the store as it was, and alive: InvalidArgument (a key), ResourceExhausted (too
  // little free space, nothing was written). After any other error nobody knows what reached the
  // disk: the store is dead, every later call fails with the same error, and the process must end.
  // A failed sync is never tried again.
  virtual Status Write(const MetaBatch& batch) = 0;

  // ResourceExhausted when the disk has no room for the largest ordinary batch: time to refuse new
  // work while what runs can still be recorded.
  virtual Status CheckRoom() { return absl::OkStatus(); }

  // The value, or none. DataLoss when stored bytes are damaged.
  virtual StatusOr<std::optional<std::string>> Get(std::string_view key) = 0;

  // Calls `visit` for every key that begins with `prefix`, in byte order, over one consistent
  // state; stops at and returns the first error. The views live for one call. `visit` must not call
  // the store.
  using Visitor = std::function<Status(std::string_view key, std::string_view value)>;
  virtual Status Scan(std::string_view prefix, const Visitor& visit) = 0;

  // Gives back the space of what was deleted below `prefix`; it may take a while.
  virtual Status Reclaim(std::string_view prefix) = 0;

  // Number of batches ever written.
  virtual uint64_t index() const = 0;
};

}  // namespace dl::storage
