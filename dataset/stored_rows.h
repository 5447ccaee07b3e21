// Returns the rows of a table in the order in which blocks store them, one window of blocks at a
// time. Rows in memory are copied directly. If rows are in a temporary file, a first pass sorts
// them by window into a second file, so that rows need no seek of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/spill_file.h"
#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

// Not thread-safe.
class StoredRows {
 public:
  struct Options {
    // For the rows of a window, and for sorting. Not used if the rows are in memory.
    int64_t memory_bytes = 0;
    int64_t rows_per_block = 1;
  };
  // `order` has the numbers of the rows in stored order. `table` and `order` must outlive this
  // object. Returns ResourceExhausted if the disk is full, and other errors of temporary files.
  static StatusOr<std::unique_ptr<StoredRows>> Create(const ExampleTable& table,
                                                      std::span<const uint64_t> order,
                                                      const Options& options);

  // Writes the features of the rows order[begin], order[begin + 1], ... to `out`, one after the
  // other, until `out` is full. Returns errors of the temporary files. REQUIRES: each call is for
  // the rows of one block, so `begin` is a multiple of rows_per_block. Calls in stored order read
  // each window once.
  Status Gather(size_t begin, std::span<std::byte> out);

 private:
  StoredRows(const ExampleTable& table, std::span<const uint64_t> order)
      : table_(table), order_(order), row_bytes_(table.schema.FeatureBytes()) {}

  Status Sort(int64_t memory_bytes);
  Status Load(size_t window);

  const ExampleTable& table_;
  std::span<const uint64_t> order_;
  const size_t row_bytes_;
  size_t window_rows_ = 0;             // 0: all rows are in memory
  std::unique_ptr<SpillFile> sorted_;  // ordered by window, and by row number in each window
  std::vector<uint64_t> numbers_;      // row numbers of the loaded window, ascending
  std::vector<std::byte> rows_;        // features of these rows
  size_t loaded_ = SIZE_MAX;           // index of the loaded window
};

}  // namespace dl::dataset
