// The innermost loops of the weight gradient (weight_gradient.h), per instruction set.
#pragma once

#include <cstdint>

namespace dl::nn {

// A position at which a tap meets the image, as offsets in floats.
struct PositionOffsets {
  int32_t gradient = 0, source = 0;
};

// A tile of the gradient: `vectors` vectors of output channels x `rows` values of the source that
// lie side by side.
struct WeightGradientTile {
  static constexpr int kMaxVectors = 3;
  // The tile loads the source of this number of positions in advance. `positions` has this number
  // of elements more than `count`; their addresses need not exist.
  static constexpr int kAhead = 16;
  const PositionOffsets* positions = nullptr;
  int64_t count = 0;
  const float* source = nullptr;
  const float* gradient[kMaxVectors] = {};
  float* result[kMaxVectors] = {};  // row r of vector v is at result[v] + r * result_row
  int64_t result_row = 0;
  bool adds = false;  // to the values of `result`; otherwise they are overwritten
  int vectors = 0, rows = 0;
};

// Returns the largest number of rows of a tile with this number of vectors, from 1 to kMaxVectors.
// The sums of the tile fit into registers. `lanes`: 8 (AVX2) or 16 (AVX-512).
int MaxTileRows(int lanes, int vectors);

// REQUIRES: 1 <= rows <= MaxTileRows(lanes, vectors), and a CPU with the instructions.
void ComputeTile(int lanes, const WeightGradientTile& tile);

}  // namespace dl::nn
