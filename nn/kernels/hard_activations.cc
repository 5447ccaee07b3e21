#include "nn/kernels/hard_activations.h"

#include "nn/kernels/clones.h"

namespace dl::nn {
namespace {

constexpr float kSixth = 1.0f / 6.0f;

DL_ALWAYS_INLINE float HardSigmoidF(float x) {
  float y = x * kSixth + 0.5f;
  y = y < 0.0f ? 0.0f : y;
  return y > 1.0f ? 1.0f : y;
}

}  // namespace

DL_ISA_CLONES void HardSigmoidForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = HardSigmoidF(x[i]);
}
DL_ISA_CLONES void HardSigmoidBackward(const float* y, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dy[i] = y[i] > 0.0f && y[i] < 1.0f ? dy[i] * kSixth : 0.0f;
}

DL_ISA_CLONES void HardSwishForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = x[i] < -3.0f ? -3.0f : x[i];  // the result is 0 there
    x[i] = c * HardSigmoidF(c);
  }
}
DL_ISA_CLONES void HardSwishBackward(const float* x, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float slope = x[i] * (1.0f / 3.0f) + 0.5f;
    dy[i] = x[i] <= -3.0f ? 0.0f : (x[i] >= 3.0f ? dy[i] : dy[i] * slope);
  }
}

DL_ISA_CLONES void Relu6Forward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float y = x[i] < 0.0f ? 0.0f : x[i];
    x[i] = y > 6.0f ? 6.0f : y;
  }
}
DL_ISA_CLONES void Relu6Backward(const float* y, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dy[i] = y[i] > 0.0f && y[i] < 6.0f ? dy[i] : 0.0f;
}

}  // namespace dl::nn
