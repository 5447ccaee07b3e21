// The innermost loops of a product, per instruction set.
#pragma once

#include <cstdint>

namespace dl::nn {

// Values of the inner index that are contiguous in the rows and in the panel.
struct ProductRun {
  int64_t source = 0;  // of the first value, in floats from the address of a row
  int32_t panel = 0;   // index of the first value in the panel
  int32_t count = 0;
};

// A tile of a product: result(r, j) = sum over the values k of all runs, in order, of row(r, k) *
// panel(k, j). Each sum is a chain of fused multiply-adds that begins with +0.
struct ProductTile {
  static constexpr int kMaxVectors = 3, kMaxRows = 12;

  const float* rows[kMaxRows] = {};
  const ProductRun* runs = nullptr;
  int64_t run_count = 0;
  const float* panel = nullptr;  // value (k, j) is at panel + k * panel_step + j
  int64_t panel_step = 0;
  float* results[kMaxRows] = {};  // of each row
  int64_t result_vector = 0;      // floats from a vector of the result to the next one
  bool adds = false;              // to the values of `results`; otherwise they are overwritten
  int vectors = 0, row_count = 0;
};

// Returns the largest number of rows of a tile with this number of vectors, from 1 to kMaxVectors.
// The sums of the tile fit into registers. `lanes`: 8 (AVX2) or 16 (AVX-512).
int MaxProductRows(int lanes, int vectors);

// REQUIRES: 1 <= row_count <= MaxProductRows(lanes, vectors), and a CPU with the instructions.
void ComputeProductTile(int lanes, const ProductTile& tile);

// A tile whose rows are packed: row(r, k) is at source + k * source_step + r.
struct PackedTile {
  const float* source = nullptr;
  int64_t source_step = 0;
  int64_t count = 0;             // of k
  const float* panel = nullptr;  // [k][vectors * lanes]
  float* result = nullptr;       // row r is at result + r * result_row
  int64_t result_row = 0;
  bool adds = false;
  int vectors = 0, rows = 0;
};

// Computes the sums of ProductTile. REQUIRES: 1 <= rows <= MaxProductRows(lanes, vectors), and a
// CPU with the instructions.
void ComputePackedTile(int lanes, const PackedTile& tile);

}  // namespace dl::nn
