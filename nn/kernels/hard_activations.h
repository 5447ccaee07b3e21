// Piecewise linear and quadratic activations (nn/conf/activation.h has the formulas), in place,
// like those of nn/kernels/activations.h. Hard sigmoid does not map 0 to 0.
#pragma once

#include <cstdint>

namespace dl::nn {

// x = f(x), in place.
void HardSigmoidForward(float* x, int64_t n);
void HardSwishForward(float* x, int64_t n);
void Relu6Forward(float* x, int64_t n);

// dx = dy * f'(x), written to dy. y = f(x). Comments give f'.
void HardSigmoidBackward(const float* y, float* dy, int64_t n);  // 1/6 if 0 < y < 1, otherwise 0
void HardSwishBackward(const float* x, float* dy, int64_t n);    // needs x
void Relu6Backward(const float* y, float* dy, int64_t n);        // 1 if 0 < y < 6, otherwise 0

}  // namespace dl::nn
