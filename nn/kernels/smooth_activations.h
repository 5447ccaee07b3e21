// Smooth activations (nn/conf/activation.h has the formulas), in place, as those of
// nn/kernels/activations.h. Far from 0 they go on as they are at a bound where all results are
// normal numbers: a subnormal one would be 0 or not, as a compiler or the processor computed it.
#pragma once

#include <cstdint>

namespace dl::nn {

void GeluForward(float* x, int64_t n);
void GeluTanhForward(float* x, int64_t n);
void SiluForward(float* x, int64_t n);
void MishForward(float* x, int64_t n);
void EluForward(float* x, int64_t n, float alpha);
void SeluForward(float* x, int64_t n);
void SoftplusForward(float* x, int64_t n);
void SoftsignForward(float* x, int64_t n);

// dx = dy * f'(x), written over dy. Of these x is needed.
void GeluBackward(const float* x, float* dy, int64_t n);
void GeluTanhBackward(const float* x, float* dy, int64_t n);
void SiluBackward(const float* x, float* dy, int64_t n);
void MishBackward(const float* x, float* dy, int64_t n);
// Of these y = f(x) is enough.
void EluBackward(const float* y, float* dy, int64_t n, float alpha);  // y > 0 ? 1 : y + alpha
void SeluBackward(const float* y, float* dy, int64_t n);
void SoftplusBackward(const float* y, float* dy, int64_t n);  // 1 - exp(-y)
void SoftsignBackward(const float* y, float* dy, int64_t n);  // (1 - |y|)^2

}  // namespace dl::nn
