// Reads the records of a job's series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/meta_store.h"
#include "storage/series/series_records.h"
#include "storage/series/value_summary.h"

namespace dl::storage {

// All functions return DataLoss for damaged records, and errors of the store. Columns() and
// Folded() also return VersionMismatch for a record of a later version. Thread-safe if the store
// is.
class SeriesBlocks {
 public:
  // The store must outlive this object.
  SeriesBlocks(MetaStore& store, std::string job) : store_(store), job_(std::move(job)) {}

  // Return empty records if the job has none.
  StatusOr<SeriesColumns> Columns() const;
  StatusOr<FoldedSeries> Folded() const;

  // Returns kBlockRounds values. Rounds without a value have kNoValue.
  StatusOr<std::vector<float>> Values(int32_t series, int64_t block) const;
  // Appends the values of rounds `first` to `last`, inclusive, or none if `first` is larger. Rounds
  // without a value have kNoValue. REQUIRES: first >= 1.
  Status AppendValues(std::vector<float>& values, int32_t series, int64_t first,
                      int64_t last) const;
  // Returns kBlockRounds values of a branch. The first one belongs to the round that is
  // kBlockRounds * block rounds after the branch's first round.
  StatusOr<std::vector<float>> Branch(int64_t branch, int32_t series, int64_t block) const;
  // Returns kBlockEntries summaries. Entries without values have count 0.
  StatusOr<std::vector<ValueSummary>> Level(int level, int32_t series, int64_t block) const;

 private:
  StatusOr<std::vector<float>> ValuesOf(const std::string& key) const;

  MetaStore& store_;
  const std::string job_;
};

}  // namespace dl::storage
