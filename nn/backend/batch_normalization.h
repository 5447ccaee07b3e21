// Batch normalization per channel, over examples and pixels (Ioffe and Szegedy, 2015, algorithm 1):
//   y = scale * (x - mean) / sqrt(variance + epsilon) + shift
// The variance is biased and computed in a second pass over (x - mean).
#pragma once

#include <cstdint>

#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/conf/kernel_set.h"

namespace dl::nn {

// The source of mean and variance: computed from the batch, or given.
enum class BatchStatistics : uint8_t { kOfBatch, kGiven };

struct BatchNormalizationGeometry {
  Layout source;  // [n, c, h, w] or [n, c, d, h, w]
  double epsilon = 0;
  BatchStatistics statistics = BatchStatistics::kOfBatch;
  KernelSet kernels = KernelSet::kNative;
};

// The result and the gradients of source and result have the layout of the source. Mean, variance,
// scale, shift and the gradients of scale and shift have a value for each channel. With kOfBatch,
// mean and variance are outputs of the forward primitive.
StatusOr<Primitive> BatchNormalizationForward(const BatchNormalizationGeometry& geometry);
// With kGiven, mean and variance are constants, and no gradient flows through them.
StatusOr<Primitive> BatchNormalizationBackward(const BatchNormalizationGeometry& geometry);

}  // namespace dl::nn
