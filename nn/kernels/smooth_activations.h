// Elementwise smooth activations and their gradients, in place. nn/conf/activation.h has the
// formulas. Softplus needs a plain layout, because it does not map padding of zeros to zeros. The
// other activations and all gradients accept any layout. If f(x) approaches 0 far below 0, x is
// clamped to a bound at which f(x) is still a normal number. A subnormal result would depend on
// whether the compiler or the processor computes it. NaN stays NaN.
#pragma once

#include <cstdint>

namespace dl::nn {

// x = f(x), in place.
void GeluForward(float* x, int64_t n);
void GeluTanhForward(float* x, int64_t n);
void SiluForward(float* x, int64_t n);
void MishForward(float* x, int64_t n);
void EluForward(float* x, int64_t n, float alpha);
void SeluForward(float* x, int64_t n);
void SoftplusForward(float* x, int64_t n);
void SoftsignForward(float* x, int64_t n);

// dx = dy * f'(x), written to dy. These functions need x.
void GeluBackward(const float* x, float* dy, int64_t n);
void GeluTanhBackward(const float* x, float* dy, int64_t n);
void SiluBackward(const float* x, float* dy, int64_t n);
void MishBackward(const float* x, float* dy, int64_t n);
// These functions need only y = f(x).
void EluBackward(const float* y, float* dy, int64_t n, float alpha);  // y > 0 ? 1 : y + alpha
void SeluBackward(const float* y, float* dy, int64_t n);
void SoftplusBackward(const float* y, float* dy, int64_t n);  // 1 - exp(-y)
void SoftsignBackward(const float* y, float* dy, int64_t n);  // (1 - |y|)^2

}  // namespace dl::nn
