// The interface to the master's durable records: jobs, states of jobs, answers, round logs,
// checkpoint manifests. A batch is one transaction.
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

// Changes that become visible together or not at all. If a key is changed twice, the later change
// wins. Not thread-safe.
class MetaBatch {
 public:
  struct Change {
    std::string key;
    std::optional<std::string> value;  // nullopt: the key is deleted
    bool prefix = false;               // a deletion of all keys that begin with `key`
  };

  // Keys must not be empty or begin with a zero byte, which is reserved for the store.
  void Put(std::string key, std::string value) {
    bytes_ += key.size() + value.size();
    changes_.push_back({std::move(key), std::move(value)});
  }
  void Delete(std::string key) {
    bytes_ += key.size();
    changes_.push_back({std::move(key), std::nullopt});
  }
  // Deletes every key that begins with `prefix`, which must not be empty or end with the byte 255.
  void DeletePrefix(std::string prefix) {
    bytes_ += prefix.size();
    changes_.push_back({std::move(prefix), std::nullopt, true});
  }
  // Appends all changes of `later`, and makes this batch essential if `later` is.
  void Append(MetaBatch later) {
    bytes_ += later.bytes_;
    essential_ |= later.essential_;
    changes_.insert(changes_.end(), std::move_iterator(later.changes_.begin()),
                    std::move_iterator(later.changes_.end()));
  }
  // Allows this batch to use the disk space that the store reserves. Used for the record of the
  // reason why a job stopped.
  void MarkEssential() { essential_ = true; }

  bool empty() const { return changes_.empty(); }
  bool essential() const { return essential_; }
  uint64_t bytes() const { return bytes_; }  // of all keys and values
  const std::vector<Change>& changes() const { return changes_; }

 private:
  std::vector<Change> changes_;
  uint64_t bytes_ = 0;
  bool essential_ = false;
};

// Returns InvalidArgument if a key or prefix of `batch` is empty or begins with a zero byte.
Status CheckKeys(const MetaBatch& batch);

// Thread-safe. Readers see only durable data, except in stores in memory.
class MetaStore {
 public:
  virtual ~MetaStore() = default;

  // Writes a batch atomically. It is durable when OK is returned. An empty batch does nothing.
  // Returns InvalidArgument (an invalid key, or a batch over limits::kMetaMaxBatchBytes) or
  // ResourceExhausted (too little free space) without changing the store, which stays usable. After
  // any other error it is unknown what reached the disk: the store is dead, every later call
  // returns the same error, and the process must end. A failed sync is never retried.
  virtual Status Write(const MetaBatch& batch) = 0;

  // Returns ResourceExhausted if the disk has no room for limits::kMetaOrdinaryBatchBytes. New work
  // should then be refused, while the records of running jobs still fit.
  virtual Status CheckFreeSpace() { return absl::OkStatus(); }

  // Returns the value, or nullopt if the key does not exist. Returns DataLoss if stored bytes are
  // damaged.
  virtual StatusOr<std::optional<std::string>> Get(std::string_view key) = 0;

  // Calls `visit` for every key that begins with `prefix`, in byte order, over one consistent
  // state. An empty `prefix` means all keys except those that are reserved for the store. `prefix`
  // must not end with the byte 255. Stops at the first error, of `visit` or as in Get, and returns
  // that error. The views are valid during one call of `visit`, which must not call the store.
  using Visitor = std::function<Status(std::string_view key, std::string_view value)>;
  virtual Status Scan(std::string_view prefix, const Visitor& visit) = 0;

  // Frees the disk space of deleted keys that begin with `prefix`, which must be valid for
  // DeletePrefix. May take long. Returns errors of the store, after which the store stays usable.
  virtual Status Reclaim(std::string_view prefix) = 0;

  // Returns the index of the last batch: the number of batches written since the store was created.
  virtual uint64_t index() const = 0;
};

}  // namespace dl::storage
