#include "nn/kernels/planes.h"

#include <algorithm>

namespace dl::nn {
namespace {

// The rows and columns of a region; bottom and right are exclusive.
struct Region {
  int64_t top, bottom, left, right;
};

// Calls visit(region, index of the output) for each region of a plane, in the output's order.
template <typename Visit>
void ForEachRegion(const RegionShape& s, Visit&& visit) {
  for (int64_t i = 0; i < s.rows; ++i) {
    Region region{.top = i * s.height / s.rows,
                  .bottom = ((i + 1) * s.height + s.rows - 1) / s.rows};
    for (int64_t j = 0; j < s.columns; ++j) {
      region.left = j * s.width / s.columns;
      region.right = ((j + 1) * s.width + s.columns - 1) / s.columns;
      visit(region, i * s.columns + j);
    }
  }
}

// Returns the index in the plane `x` of the largest value of a region, the earliest one if several
// are equal.
int64_t EarliestLargest(const RegionShape& s, const Region& region, const float* x) {
  int64_t best = region.top * s.width + region.left;
  for (int64_t r = region.top; r < region.bottom; ++r) {
    for (int64_t c = region.left; c < region.right; ++c) {
      const int64_t place = r * s.width + c;
      if (!(x[place] <= x[best]) && x[best] == x[best]) best = place;
    }
  }
  return best;
}

float CountOf(const Region& region) {
  return static_cast<float>((region.bottom - region.top) * (region.right - region.left));
}

}  // namespace

void SurroundByZeros(const FrameShape& s, const float* inner, float* outer) {
  std::fill_n(outer, s.planes * s.height * s.width, 0.0f);
  for (int64_t p = 0; p < s.planes; ++p) {
    float* row = outer + (p * s.height + s.top) * s.width + s.left;
    for (int64_t i = 0; i < s.inner_height; ++i, inner += s.inner_width, row += s.width)
      std::copy_n(inner, s.inner_width, row);
  }
}

void TakeMiddle(const FrameShape& s, const float* outer, float* inner) {
  for (int64_t p = 0; p < s.planes; ++p) {
    const float* row = outer + (p * s.height + s.top) * s.width + s.left;
    for (int64_t i = 0; i < s.inner_height; ++i, inner += s.inner_width, row += s.width)
      std::copy_n(row, s.inner_width, inner);
  }
}

void RepeatPixels(const BlockShape& s, const float* x, float* y) {
  const int64_t width = s.width * s.columns;
  for (int64_t i = 0; i < s.planes * s.height; ++i, x += s.width) {
    float* const first = y;
    for (int64_t j = 0; j < s.width; ++j, y += s.columns) std::fill_n(y, s.columns, x[j]);
    for (int64_t k = 1; k < s.rows; ++k, y += width) std::copy_n(first, width, y);
  }
}

void SumBlocks(const BlockShape& s, const float* y, float* x) {
  std::fill_n(x, s.planes * s.height * s.width, 0.0f);
  for (int64_t i = 0; i < s.planes * s.height; ++i, x += s.width) {
    for (int64_t k = 0; k < s.rows; ++k) {
      for (int64_t j = 0; j < s.width; ++j, y += s.columns) {
        for (int64_t l = 0; l < s.columns; ++l) x[j] += y[l];
      }
    }
  }
}

void MeansOfRegions(const RegionShape& s, const float* x, float* y) {
  for (int64_t p = 0; p < s.planes; ++p, x += s.height * s.width, y += s.rows * s.columns) {
    ForEachRegion(s, [&](const Region& region, int64_t output) {
      float sum = 0;
      for (int64_t r = region.top; r < region.bottom; ++r) {
        for (int64_t c = region.left; c < region.right; ++c) sum += x[r * s.width + c];
      }
      y[output] = sum / CountOf(region);
    });
  }
}

void MeansOfRegionsGradient(const RegionShape& s, const float* dy, float* dx) {
  std::fill_n(dx, s.planes * s.height * s.width, 0.0f);
  for (int64_t p = 0; p < s.planes; ++p, dx += s.height * s.width, dy += s.rows * s.columns) {
    ForEachRegion(s, [&](const Region& region, int64_t output) {
      const float share = dy[output] / CountOf(region);
      for (int64_t r = region.top; r < region.bottom; ++r) {
        for (int64_t c = region.left; c < region.right; ++c) dx[r * s.width + c] += share;
      }
    });
  }
}

void LargestOfRegions(const RegionShape& s, const float* x, float* y) {
  for (int64_t p = 0; p < s.planes; ++p, x += s.height * s.width, y += s.rows * s.columns) {
    ForEachRegion(s, [&](const Region& region, int64_t output) {
      y[output] = x[EarliestLargest(s, region, x)];
    });
  }
}

void LargestOfRegionsGradient(const RegionShape& s, const float* x, const float* dy, float* dx) {
  std::fill_n(dx, s.planes * s.height * s.width, 0.0f);
  for (int64_t p = 0; p < s.planes; ++p) {
    ForEachRegion(s, [&](const Region& region, int64_t output) {
      dx[EarliestLargest(s, region, x)] += dy[output];
    });
    x += s.height * s.width;
    dx += s.height * s.width;
    dy += s.rows * s.columns;
  }
}

}  // namespace dl::nn
