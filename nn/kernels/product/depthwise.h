// Convolutions with a kernel for each channel alone: as many groups as channels, of one input and
// one output channel. The values of a pixel are contiguous, so vectors hold channels. The order of
// additions is that of RowProduct and PositionProduct, with one channel for each tap.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/kernels/product/position_product.h"
#include "nn/kernels/product/row_product.h"

namespace dl::nn {

struct DepthwiseGeometry {
  int64_t images = 1, channels = 1;
  int64_t source_image = 0, result_image = 0;  // floats from an image to the next one
  std::vector<RowClass> classes;
  int lanes = 8;  // as in RowProductGeometry
};

// result(pixel, c) = sum over taps of source(pixel at tap, c) * factor(tap, c), then + bias(c).
// Immutable; safe for use by several threads.
class DepthwiseProduct {
 public:
  explicit DepthwiseProduct(DepthwiseGeometry geometry);

  struct Buffers {
    const float* source = nullptr;
    const float* factor = nullptr;  // [taps][channels]
    const float* bias = nullptr;    // null, or [channels]
    float* result = nullptr;
  };
  // Computes the results of some images. Does not allocate. REQUIRES: a CPU with the instructions
  // of the geometry's lanes.
  void ComputeImages(const Buffers& buffers, IndexRange images) const;

 private:
  DepthwiseGeometry g_;
  // [class][block]: offsets of the source, and of the factor as PositionOffsets::gradient.
  std::vector<std::vector<std::vector<PositionOffsets>>> blocks_;
};

// The gradient of the factor: result(tap, c) = sum over positions p of source(p, tap, c) *
// gradient(p, c). `geometry` has one row, and a column for each channel. Computes some taps. Does
// not allocate. REQUIRES: PositionProduct::Supports.
void ComputeDepthwiseGradient(const PositionProductGeometry& geometry,
                              const PositionProduct::Buffers& buffers, IndexRange taps);

}  // namespace dl::nn
