// Detects rows that go back in time, and gaps, in rows that are steps of sequences.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/readers/table/csv_rows.h"
#include "job/sources/table_values.h"

namespace dl::dataset {

// Examines the first column of dates in the table. Does nothing if there is none. A row is compared
// with the row before it in its sequence, if both have a date that can be read. Not thread-safe.
class RowTimes {
 public:
  explicit RowTimes(job::DateOrder order) : order_(order) {}

  // Processes the current row of `rows`. `begins`: the row is the first of its sequence.
  void Visit(const CsvRows& rows, bool begins);

  // Returns a sentence about rows that are earlier than the row before them. If there are none,
  // returns a sentence about rows with the time of the row before them, unless at least half of the
  // rows are such. Then, if more than half of the steps have the same length, returns a sentence
  // about steps that are more than 1.5 times as long. Otherwise returns nothing.
  std::vector<std::string> Warnings() const;

 private:
  job::DateOrder order_;
  std::string name_;  // of the column
  std::optional<int64_t> last_;
  int64_t steps_ = 0, backward_ = 0, repeated_ = 0;
  // Number of each step in seconds, for at most kMostSteps forward steps.
  std::map<int64_t, int64_t> count_of_;

  static constexpr size_t kMostSteps = 1024;
};

}  // namespace dl::dataset
