// Rows of a table as the steps of sequences (job/sources/sequence_keys.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/csv_rows.h"
#include "dataset/readers/row_times.h"
#include "job/sources/sequence_keys.h"

namespace dl::dataset {

// Which sequence a row belongs to, while the rows come in their order. Not thread-safe.
class RowSequences {
 public:
  // `order`: of the dates of the table.
  explicit RowSequences(job::DateOrder order) : order_(order), times_(order) {}

  void Restart();  // the rows come again, from the first one on
  // The row at which `rows` is. An error, with its place: its sequence came before and ended.
  Status Visit(const CsvRows& rows);

  bool begins() const { return begins_; }   // the row is the first of its sequence
  int64_t index() const { return index_; }  // of the sequence, from 0
  int64_t step() const { return step_; }    // of the row in its sequence, from 0
  std::vector<std::string> Warnings() const { return times_.Warnings(); }

 private:
  bool begins_ = false;
  int64_t index_ = -1, file_ = -1, step_ = -1;
  std::string text_;
  const job::DateOrder order_;
  RowTimes times_;
  absl::flat_hash_set<uint64_t>
      seen_;  // hashes of the texts of all sequences: a million take 9 MiB
};

// A table whose examples are rows becomes one whose examples are sequences of so many rows each:
// cut and padded as `conf` says. Of labels of whole sequences each has that of its first row.
// REQUIRES: lengths of 1 at least, which add up to the table's examples. Errors, without the place:
// lengths that differ and should not.
StatusOr<ExampleTable> FoldSequences(const ExampleTable& rows, const std::vector<int64_t>& lengths,
                                     const job::SequenceRows& conf, const RowMemory& memory);

// A table whose examples are rows becomes one whose examples are windows of rows, by conf.window,
// stride and horizon. A window lies in one sequence, and so does the row of its label. `horizon`:
// conf.horizon, or 0 where rows have no labels. REQUIRES: as FoldSequences. InvalidArgument when no
// sequence is long enough for a window.
StatusOr<ExampleTable> FoldWindows(const ExampleTable& rows, const std::vector<int64_t>& lengths,
                                   const job::SequenceRows& conf, int64_t horizon,
                                   const RowMemory& memory);

// How many windows a sequence of so many rows has.
int64_t WindowsOf(int64_t rows, const job::SequenceRows& conf, int64_t horizon);

}  // namespace dl::dataset
