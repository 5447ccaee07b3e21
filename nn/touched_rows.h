// Records which rows of the gradient of an embedding table the last backward pass wrote. All other
// rows are zero. A minibatch often names few rows of such a table. Only these are cleared, and an
// updater that a gradient of zero does not affect (nn/updaters/updater.h) visits only these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// Not thread-safe. Allocates only in the constructor. All rows count as written until the first
// Clear, and after SetAll.
class TouchedRows {
 public:
  TouchedRows(int64_t rows, int64_t columns);

  // Marks all rows as written, for a gradient about which nothing is known.
  void SetAll() { all_ = true; }
  // Sets the written rows of `gradient`, [rows, columns], to zero. No row counts as written
  // afterwards.
  void Clear(float* gradient);
  // Marks row `row` as written. REQUIRES: Clear was called since the last SetAll.
  void Add(int64_t row) {
    if (marks_[row] != 0) return;
    marks_[row] = 1;
    rows_.push_back(static_cast<int32_t>(row));
  }

  bool all() const { return all_; }
  // Returns each written row once, in the order in which they were added. REQUIRES: not all().
  std::span<const int32_t> rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  // Returns whether less than a quarter of the rows are written, so that an updater should visit
  // only these.
  bool AreFew() const { return !all_ && 4 * rows_.size() < marks_.size(); }

 private:
  int64_t columns_;
  bool all_ = true;
  std::vector<uint8_t> marks_;
  std::vector<int32_t> rows_;  // capacity for all rows
};

}  // namespace dl::nn
