// The rows of a job that are not in blocks yet.
//
// Rows are read in the order of the job's log. A row whose round is not after the row before shows
// a rollback: the rounds from there on no longer count, and become a branch. Additions
// belong to the round of the row before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/meta_store.h"
#include "storage/series/round_row.h"
#include "storage/series/series_records.h"

namespace dl::storage {

// Values of rounds, by series.
class RoundValues {
 public:
  // Values begin at round `first`.
  explicit RoundValues(int64_t first) : first_(first), end_(first) {}

  int64_t first() const { return first_; }
  int64_t end() const { return end_; }  // the round after the last one
  bool empty() const { return first_ == end_; }
  // Adds a row. Rounds between end() and row.round get no values. REQUIRES: row.round >= end(), or
  // the row is an addition to the last round.
  void Add(const RoundRow& row);
  // Removes the rounds from `round` on, and returns them. REQUIRES: round is in [first(), end()].
  RoundValues Split(int64_t round);
  // Appends the values of a series to `values`, one for each round.
  void AppendTo(std::vector<float>& values, int32_t series) const;

 private:
  int64_t first_, end_;
  // Values of rounds from first_ on, as far as the series has values.
  std::map<int32_t, std::vector<float>> series_;
};

struct PendingRows {
  // A branch that the rows begin. Its first rounds may be in blocks. `rows` has the other rounds.
  struct Branch {
    SeriesBranch branch;
    RoundValues rows;
  };

  int64_t kept = 0;  // rounds 1 to `kept` count; their values, if they have any, are in blocks
  RoundValues rows;  // rounds after `kept` that count
  std::vector<Branch> branches;
  // Keys of all rows that were read, and the index of the first key of the last round.
  std::vector<std::string> keys;
  size_t last_keys = 0;
  bool before_hole = false;  // the next row belongs to a much later round
};

// Rows that are read at a time. More are read by the next call.
inline constexpr int64_t kMaxPendingRows = 4 * kBlockRounds;

// Returns the first rows of the job: at most kMaxPendingRows, and only those before a gap of more
// than kMaxPendingRows rounds. A gap before the first row is skipped. `folded` describes the job's
// blocks. Values of series for which `kept` is false are left out; null: all are kept. Returns
// DataLoss if a row is damaged, and the errors of MetaStore::Scan.
StatusOr<PendingRows> ReadPendingRows(MetaStore& store, const std::string& job,
                                      const FoldedSeries& folded,
                                      const std::vector<bool>* kept = nullptr);

}  // namespace dl::storage
