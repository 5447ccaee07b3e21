// Converts rows of a table to steps of sequences (job/sources/sequence_keys.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/table/csv_rows.h"
#include "dataset/readers/table/row_times.h"
#include "job/sources/sequence_keys.h"

namespace dl::dataset {

// Tracks the sequence to which each row belongs, while rows are read in order. Not thread-safe.
class RowSequences {
 public:
  // `order` applies to the dates of the table.
  explicit RowSequences(job::DateOrder order) : order_(order), times_(order) {}

  void Restart();  // must be called before rows are read again from the first one
  // Processes the current row of `rows`. Returns InvalidArgument, with its place, if the sequence
  // of the row has ended before, or if the field that names the sequence is empty.
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
      seen_;  // hashes of the texts of all sequences; a million hashes need 9 MiB
};

// Converts a table of rows to a table of sequences with the given numbers of rows. They are cut and
// padded as `conf` says. The label of a whole sequence is the label of its first row. The weight of
// each sequence is the weight of its first row. Returns InvalidArgument without a place if all
// sequences must have conf.steps steps and one has fewer. Returns errors of temporary files.
// REQUIRES: features are float32; lengths are at least 1 and sum to the number of rows; with
// LongerSequences::kError, no length exceeds conf.steps.
StatusOr<ExampleTable> FoldSequences(const ExampleTable& rows, const std::vector<int64_t>& lengths,
                                     const job::SequenceRows& conf, const RowMemory& memory);

// Converts a table of rows to a table of windows of rows, by conf.window, stride and horizon. A
// window and the row of its label are in one sequence. `horizon` is conf.horizon, or 0 if rows have
// no labels. The weight of a window is the weight of the row of its label. Returns InvalidArgument
// if no sequence is long enough for a window, or if the labels of a window's steps have different
// weights. Returns errors of temporary files. REQUIRES: features are float32; lengths are at least
// 1 and sum to the number of rows.
StatusOr<ExampleTable> FoldWindows(const ExampleTable& rows, const std::vector<int64_t>& lengths,
                                   const job::SequenceRows& conf, int64_t horizon,
                                   const RowMemory& memory);

// Returns the number of windows in a sequence of `rows` rows.
int64_t WindowsOf(int64_t rows, const job::SequenceRows& conf, int64_t horizon);

}  // namespace dl::dataset
