// Rows of a table in the order in which blocks store them, a window of blocks at a time: straight
// from memory, or from the temporary file that holds what memory does not. Then a first pass sorts
// the rows into one part of a second file for each window, so that no row costs a seek of its own.
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
    int64_t memory_bytes = 0;  // for rows: those of a window, and while they are sorted
    int64_t rows_per_block = 1;
  };
  // `order` are the rows' numbers as they are stored; `table` and `order` outlive it.
  // ResourceExhausted when the disk is full.
  static StatusOr<std::unique_ptr<StoredRows>> Create(const ExampleTable& table,
                                                      std::span<const uint64_t> order,
                                                      const Options& options);

  // The features of the rows order[begin, begin + count), one behind the other. REQUIRES: calls go
  // forward, each a block's.
  Status Gather(size_t begin, std::span<std::byte> out);

 private:
  StoredRows(const ExampleTable& table, std::span<const uint64_t> order)
      : table_(table), order_(order), row_bytes_(table.schema.FeatureBytes()) {}

  Status Sort(int64_t memory_bytes);
  Status Load(size_t window);

  const ExampleTable& table_;
  std::span<const uint64_t> order_;
  const size_t row_bytes_;
  size_t window_rows_ = 0;             // 0: the rows are in memory
  std::unique_ptr<SpillFile> sorted_;  // by window, and in it by number
  std::vector<uint64_t> numbers_;      // of the rows of the window that is loaded, ascending
  std::vector<std::byte> rows_;        // and they
  size_t loaded_ = SIZE_MAX;           // which window
};

}  // namespace dl::dataset
