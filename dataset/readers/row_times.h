// Looks at the times of rows that are steps of sequences: rows that go back in time, and gaps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/readers/csv_rows.h"
#include "job/sources/table_values.h"

namespace dl::dataset {

// Looks at the first column of dates of the table; nothing happens without one. Not thread-safe.
class RowTimes {
 public:
  explicit RowTimes(job::DateOrder order) : order_(order) {}

  // The row at which `rows` is. `begins`: the row is the first of its sequence.
  void Visit(const CsvRows& rows, bool begins);

  // Sentences about rows that are earlier than the row before them, and about steps that are longer
  // than the usual step.
  std::vector<std::string> Warnings() const;

 private:
  job::DateOrder order_;
  std::string name_;  // of the column
  std::optional<int64_t> last_;
  int64_t steps_ = 0, backward_ = 0;
  std::map<int64_t, int64_t> count_of_;  // steps forward in seconds, at most kMostSteps of them

  static constexpr size_t kMostSteps = 1024;
};

}  // namespace dl::dataset
