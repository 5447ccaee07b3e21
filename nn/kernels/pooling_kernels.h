// Pooling of images and volumes. For each window, in any layout whose values stand in the order
// [planes][depth][height][width][inner]: y is the largest or the mean value under the window, for
// each of the `inner` values of a pixel separately. Blocked layouts have 8 or 16 channels in
// `inner`, layouts with channels last have all, and plain layouts have 1.
//
// Sums have a fixed order: the values under a window in row-major order, and the gradients of a
// pixel in the order of the windows that contain it. So results depend neither on the layout nor on
// the width of vectors.
#pragma once

#include <array>
#include <cstdint>

namespace dl::nn {

// How windows lie along one axis. Window o covers the positions o * stride - pad + k, 0 <= k <
// kernel. Positions outside of the input are not part of it.
struct PooledAxis {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1;
  int64_t pad = 0;  // before the first position
};

struct PooledPlanes {
  int64_t inner = 1;
  std::array<PooledAxis, 3> axes;  // depth, height, width; images have a depth of 1

  // Numbers of one plane of x and of y.
  int64_t InputSize() const { return axes[0].in * axes[1].in * axes[2].in * inner; }
  int64_t OutputSize() const { return axes[0].out * axes[1].out * axes[2].out * inner; }
  // Positions of a window.
  int64_t Taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
};

// All functions compute one plane. `where` has OutputSize() numbers: the position of the largest
// value in the window, in row-major order over the whole window with its part outside of the input.
// Taps() must not exceed the range of these numbers.

// The first of equal values counts. NaN, and values that are not above the lowest finite float, do
// not count: if no value counts, y is that float, and the position is 0.
void LargestInWindows(const PooledPlanes& shape, const float* x, float* y);
void LargestInWindows(const PooledPlanes& shape, const float* x, float* y, uint8_t* where);
void LargestInWindows(const PooledPlanes& shape, const float* x, float* y, uint16_t* where);

// Sets dx to the sum of dy over the windows whose largest value stands at a pixel.
void LargestInWindowsGradient(const PooledPlanes& shape, const float* dy, const uint8_t* where,
                              float* dx);
void LargestInWindowsGradient(const PooledPlanes& shape, const float* dy, const uint16_t* where,
                              float* dx);

// The number by which the sum of a window is divided.
enum class PooledCount : uint8_t {
  kInside,  // positions inside of the input
  kWindow,  // all positions of the window
};
void MeansInWindows(const PooledPlanes& shape, PooledCount count, const float* x, float* y);
void MeansInWindowsGradient(const PooledPlanes& shape, PooledCount count, const float* dy,
                            float* dx);

}  // namespace dl::nn
