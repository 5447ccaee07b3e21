// Reads curves of a job's series: a range of rounds, with as many entries as a page can show.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/meta_store.h"
#include "storage/series/pending_rows.h"
#include "storage/series/series_blocks.h"
#include "storage/series/series_records.h"
#include "storage/series/value_summary.h"

namespace dl::storage {

// Part of a series. Entry i summarizes rounds first + 4^level i to first + 4^level (i + 1) - 1. At
// level 0, each entry is one round.
struct Curve {
  int level = 0;
  int64_t first = 1;  // round
  std::vector<ValueSummary> entries;
};

// The series of a job at the time of Open. If rows are folded between Open and the last read,
// values may be missing: unless IsCurrent() then returns true, read again from a new reader. Read
// reads stored summaries, or the values of up to 16 rounds for each entry. ReadBranch reads the
// values of all rounds of the branch. Functions return DataLoss for damaged records,
// VersionMismatch for records of a later version, and errors of the store. Thread-safe.
class SeriesReader {
 public:
  // The store must outlive the reader. Rows that are not folded are read, up to kMaxPendingRows;
  // there are more only if folding fails or lags. A job without series has no columns.
  // Only series for which `wanted` returns true can be read.
  using Wanted = std::function<bool(const SeriesColumn&)>;
  static StatusOr<SeriesReader> Open(
      MetaStore& store, const std::string& job,
      const Wanted& wanted = [](const SeriesColumn&) { return true; });

  // Returns whether no rows were folded since Open began.
  StatusOr<bool> IsCurrent() const;

  const SeriesColumns& columns() const { return columns_; }
  int64_t rounds() const { return rows_.end() - 1; }  // the last round that counts
  const std::vector<SeriesBranch>& branches() const { return folded_.branches; }

  // Returns the rounds from `first` to `last`, inclusive, of the series with this index in
  // columns(), at the lowest level with at most `max_entries` entries. Rounds below 1 and above
  // rounds() are left out. The first and last entry may also have rounds outside of the range.
  // REQUIRES: max_entries >= 2, and the series is wanted.
  StatusOr<Curve> Read(int32_t series, int64_t first, int64_t last, int64_t max_entries) const;
  // Returns a branch of a series, at the lowest level with at most `max_entries` entries. Its
  // entries begin at the branch's first round. REQUIRES: the branch is one of branches().
  StatusOr<Curve> ReadBranch(const SeriesBranch& branch, int32_t series, int64_t max_entries) const;

 private:
  SeriesReader(std::shared_ptr<MetaStore> folded_store, MetaStore& store, const std::string& job)
      : stored_(store, job),
        folded_store_(std::move(folded_store)),
        blocks_(folded_store_ != nullptr ? *folded_store_ : store, job),
        rows_(1) {}

  // Appends the values of rounds `first` to `last`.
  Status AppendValues(std::vector<float>& values, int32_t series, int64_t first,
                      int64_t last) const;
  StatusOr<std::vector<ValueSummary>> StoredEntries(int level, int32_t series, int64_t first,
                                                    int64_t end) const;

  SeriesBlocks stored_;
  // Numbers of rounds in blocks and of rollbacks when Open began.
  std::pair<int64_t, int64_t> folded_before_;
  // The store with rows folded that roll back rounds in blocks; otherwise null.
  std::shared_ptr<MetaStore> folded_store_;
  SeriesBlocks blocks_;
  SeriesColumns columns_;
  FoldedSeries folded_;
  RoundValues rows_;  // rounds after folded_.rounds
};

}  // namespace dl::storage
