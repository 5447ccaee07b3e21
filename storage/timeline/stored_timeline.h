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

// All functions return DataLoss for damaged records, and errors of the store. Thread-safe if the
// store is.
class StoredTimeline {
 public:
  // The store must outlive this object.
  StoredTimeline(MetaStore& store, std::string job) : store_(store), job_(std::move(job)) {}

  // Returns no rounds if none are recorded.
  StatusOr<TimelineRounds> Rounds() const;
  // Returns the numbers of all executors by name.
  StatusOr<std::map<std::string, int32_t>> Executors() const;
  // Returns the name of an executor; empty if it is not recorded.
  StatusOr<std::string> ExecutorName(int32_t number) const;
  // Return nullopt if the training or evaluation is not recorded.
  StatusOr<std::optional<RoundTimeline>> Training(int64_t round) const;
  StatusOr<std::optional<RoundTimeline>> Evaluation(int64_t round) const;

 private:
  StatusOr<std::optional<RoundTimeline>> TimelineOf(const std::string& key) const;

  MetaStore& store_;
  const std::string job_;
};

}  // namespace dl::storage
