// The rows that count in the losses of the micro-batch that is being computed, for outputs whose
// last layers are computed only for these rows (nn/layers/counted_rows_only.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// Returns the number of rows to compute if `counted` of `all` rows count: the capacity. It is
// `counted` plus at most a quarter of `counted` or 1/64 of all rows, whichever is more, rounded up
// to a multiple of 16. If that is more than three quarters of all rows, returns 0, which means all
// rows. For a given `all` there are only 18 capacities other than 0, because a plan is compiled for
// each of them.
int64_t CapacityFor(int64_t counted, int64_t all);

// Not thread-safe. Set allocates when it first stores indices for so many rows, and keeps the
// memory. No other call allocates.
class CountedRows {
 public:
  explicit CountedRows(size_t outputs) : rows_(outputs), capacities_(outputs) {}

  // Sets the rows of an output that count. `counted` has 1 for each row that counts, and 0 for each
  // other row. An empty span means that all rows count.
  void Set(size_t output, std::span<const uint8_t> counted);
  // Returns the number of rows to compute of each output (CapacityFor). 0 means all rows, also if
  // Set was never called.
  const std::vector<int64_t>& capacities() const { return capacities_; }
  // Returns the indices of the rows that count, ascending. The address never changes. REQUIRES: the
  // capacity of the output is not 0.
  const std::vector<int32_t>& Of(size_t output) const { return rows_[output]; }

 private:
  std::vector<std::vector<int32_t>> rows_;
  std::vector<int64_t> capacities_;
};

}  // namespace dl::nn
