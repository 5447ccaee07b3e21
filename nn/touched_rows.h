// Of the gradient of a table of rows, which of them the last backward pass wrote. All others are
// zeros: nobody clears a table of which a minibatch names few rows, and a rule that changes nothing
// by a gradient of zero (nn/updaters/updater.h) steps over those few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// Not thread-safe; allocates when it is made. Of a gradient of which nothing is known all rows
// count as written, as they do at first.
class TouchedRows {
 public:
  TouchedRows(int64_t rows, int64_t columns);

  void SetAll() { all_ = true; }
  // Makes zeros of what was written of `gradient`, [rows, columns]: then no row is.
  void Clear(float* gradient);
  // Row `row` is written. REQUIRES: Clear since the last SetAll.
  void Add(int64_t row) {
    if (marks_[row] != 0) return;
    marks_[row] = 1;
    rows_.push_back(static_cast<int32_t>(row));
  }

  bool all() const { return all_; }
  // Each once, in the order in which they were added. REQUIRES: not all().
  std::span<const int32_t> rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  // Whether so few are written that going from one to the next takes less than going over all.
  bool AreFew() const { return !all_ && 4 * rows_.size() < marks_.size(); }

 private:
  int64_t columns_;
  bool all_ = true;
  std::vector<uint8_t> marks_;
  std::vector<int32_t> rows_;  // has room for all
};

}  // namespace dl::nn
