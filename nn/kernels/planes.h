// Planes of pixels, [planes, height, width], that become larger or smaller. Each value by itself;
// what is added up is added row by row, from the left.
#pragma once

#include <cstdint>

namespace dl::nn {

// A plane in the middle of a larger one.
struct FrameShape {
  int64_t planes = 0;
  int64_t height = 0, width = 0;              // of the larger one
  int64_t inner_height = 0, inner_width = 0;  // of the smaller one
  int64_t top = 0, left = 0;                  // where that begins
};
// `outer` becomes `inner` with zeros around it; and `inner` what lies in the middle of `outer`.
void SurroundByZeros(const FrameShape& shape, const float* inner, float* outer);
void TakeMiddle(const FrameShape& shape, const float* outer, float* inner);

// Each pixel of x becomes a block of `rows` by `columns` of y; and the sum of each block.
struct BlockShape {
  int64_t planes = 0, height = 0, width = 0;  // of x
  int64_t rows = 1, columns = 1;
};
void RepeatPixels(const BlockShape& shape, const float* x, float* y);
void SumBlocks(const BlockShape& shape, const float* y, float* x);

// A plane in `rows` by `columns` regions: those of row i reach from floor(i height / rows) to
// before ceil((i + 1) height / rows), columns likewise. They may overlap.
struct RegionShape {
  int64_t planes = 0, height = 0, width = 0;  // of x
  int64_t rows = 1, columns = 1;              // of y
};
void MeansOfRegions(const RegionShape& shape, const float* x, float* y);
void MeansOfRegionsGradient(const RegionShape& shape, const float* dy, float* dx);
// Of equal ones the first, row by row; a value that is no number is the largest.
void LargestOfRegions(const RegionShape& shape, const float* x, float* y);
void LargestOfRegionsGradient(const RegionShape& shape, const float* x, const float* dy, float* dx);

}  // namespace dl::nn
