// Reads the records of a job's timeline.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "storage/meta_store.h"
#include "storage/timeline/round_timeline.h"
#include "storage/timeline/timeline_records.h"

namespace dl::storage {

// All functions return DataLoss for damaged records, and errors of the store. Rounds() also returns
// VersionMismatch for a record of a later version. Thread-safe if the store is.
class StoredTimeline {
 public:
  // The store must outlive this object.
  StoredTimeline(MetaStore& store, std::string job) : store_(store), job_(std::move(job)) {}

  // Returns the rounds that are recorded and count; an empty range if there are none.
  StatusOr<TimelineRounds> Rounds() const;
  // Returns the numbers of all recorded executors by name.
  StatusOr<std::map<std::string, int32_t>> Executors() const;
  // Returns the name of the executor with this number; empty if it is not recorded.
  StatusOr<std::string> ExecutorName(int32_t number) const;
  // Return the leases of the round's training, or of the evaluation after it; nullopt if they are
  // not recorded. Also return records of rounds outside of Rounds(), which the caller must ignore.
  StatusOr<std::optional<RoundTimeline>> Training(int64_t round) const;
  StatusOr<std::optional<RoundTimeline>> Evaluation(int64_t round) const;

 private:
  StatusOr<std::optional<RoundTimeline>> TimelineOf(const std::string& key) const;

  MetaStore& store_;
  const std::string job_;
};

}  // namespace dl::storage
