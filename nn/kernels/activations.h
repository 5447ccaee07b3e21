// Elementwise activations and their gradients, in place. The logistic function needs a plain
// layout, because it does not map padding of zeros to zeros. The other activations and all
// gradients accept any layout, and padding stays zero. The random numbers of dropout depend on the
// index in memory, so they need a plain layout, too. The bits do not depend on alignment, length or
// instruction set.
#pragma once

#include <cstdint>

#include "base/philox.h"
#include "nn/kernels/index_range.h"

namespace dl::nn {

// x = f(x), in place.
void TanhForward(float* x, int64_t n);
void SigmoidForward(float* x, int64_t n);
void ReluForward(float* x, int64_t n);                    // max(x, 0); NaN stays NaN
void LeakyReluForward(float* x, int64_t n, float slope);  // x > 0 ? x : slope * x

// dx = dy * f'(x), written to dy. y = f(x). Comments give f'.
void TanhBackward(const float* y, float* dy, int64_t n);     // 1 - y^2
void SigmoidBackward(const float* y, float* dy, int64_t n);  // y (1 - y)
void ReluBackward(const float* y, float* dy, int64_t n);     // 1 if y > 0, otherwise 0
// 1 if y > 0, otherwise slope. REQUIRES: slope >= 0. Otherwise y does not show the sign of x.
void LeakyReluBackward(const float* y, float* dy, int64_t n, float slope);

// sum += term, elementwise.
void AddTo(float* sum, const float* term, int64_t n);

// x *= mask, elementwise.
void MultiplyBy(const float* mask, float* x, int64_t n);

// x *= scale if kept is 1, otherwise x *= 0.
void MultiplyByKept(const uint8_t* kept, float scale, float* x, int64_t n);

// kept[i] = stream.At(i) < threshold ? 0 : 1, for each i of the range. REQUIRES: the range begins
// at a multiple of 64.
void DropoutChoice(const RandomStream& stream, uint32_t threshold, IndexRange range, uint8_t* kept);
// mask[i] = stream.At(i) < threshold ? 0 : scale, likewise.
void DropoutMask(const RandomStream& stream, uint32_t threshold, float scale, IndexRange range,
                 float* mask);

}  // namespace dl::nn
