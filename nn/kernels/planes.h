// Operations that enlarge or shrink planes of pixels, [planes, height, width]. Sums run row by row,
// from left to right.
#pragma once

#include <cstdint>

namespace dl::nn {

// A smaller plane inside a larger one.
struct FrameShape {
  int64_t planes = 0;
  int64_t height = 0, width = 0;              // of the larger plane
  int64_t inner_height = 0, inner_width = 0;  // of the smaller plane
  int64_t top = 0, left = 0;                  // position of the smaller plane
};
// SurroundByZeros sets `outer` to `inner` with zeros around it. TakeMiddle copies the smaller plane
// from its position in `outer` to `inner`.
void SurroundByZeros(const FrameShape& shape, const float* inner, float* outer);
void TakeMiddle(const FrameShape& shape, const float* outer, float* inner);

// RepeatPixels repeats each pixel of x as a block of `rows` by `columns` in y. SumBlocks sums each
// block.
struct BlockShape {
  int64_t planes = 0, height = 0, width = 0;  // of x
  int64_t rows = 1, columns = 1;
};
void RepeatPixels(const BlockShape& shape, const float* x, float* y);
void SumBlocks(const BlockShape& shape, const float* y, float* x);

// Divides a plane into `rows` by `columns` regions. Region i has the rows floor(i height / rows) to
// ceil((i + 1) height / rows) - 1, and columns likewise. Regions may overlap. The gradient
// functions overwrite dx. The gradient of a pixel is the sum over all regions that contain it.
struct RegionShape {
  int64_t planes = 0, height = 0, width = 0;  // of x
  int64_t rows = 1, columns = 1;              // of y
};
void MeansOfRegions(const RegionShape& shape, const float* x, float* y);
void MeansOfRegionsGradient(const RegionShape& shape, const float* dy, float* dx);
// For equal values the first in row-major order is used. NaN counts as the largest.
void LargestOfRegions(const RegionShape& shape, const float* x, float* y);
void LargestOfRegionsGradient(const RegionShape& shape, const float* x, const float* dy, float* dx);

}  // namespace dl::nn
