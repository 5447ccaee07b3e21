#include "nn/kernels/smooth_activations.h"

#include "nn/kernels/float_math.h"

namespace dl::nn {
namespace {

// NaN stays NaN, because comparisons with it are false.
DL_ALWAYS_INLINE float AtLeast(float x, float low) { return x < low ? low : x; }
DL_ALWAYS_INLINE float AtMost(float x, float high) { return x > high ? high : x; }

// Above it the normal distribution function is 1 in floats; below -kNormalBound it would be
// subnormal.
constexpr float kNormalBound = 12.0f;
// The same for the logistic function.
constexpr float kLogisticBound = 80.0f;

constexpr float kInverseRootOfTwoPi = 0.398942280f;
// The argument of the logistic function is x (kSlope + kCubic x^2).
constexpr float kSlope = 1.59576912f;    // 2 sqrt(2 / pi)
constexpr float kCubic = 0.0713548163f;  // 0.044715 kSlope

constexpr float kSeluScale = 1.05070099f;
constexpr float kSeluDepth = 1.75809934f;  // the scale times 1.67326324

DL_ALWAYS_INLINE float LogisticOfGelu(float x) {
  return SigmoidF(x * FusedF(kCubic, x * x, kSlope));
}

// tanh(log(1 + exp(x))) = n / (n + 2) with n = exp(x) (exp(x) + 2), for x in [-80, 20]. For larger
// x the result is 1.
struct MishParts {
  float e, n;
};
DL_ALWAYS_INLINE MishParts MishPartsF(float x) {
  const float e = ExpF(AtMost(x, 20.0f));
  return {e, e * (e + 2.0f)};
}

DL_ALWAYS_INLINE float EluF(float x, float scale, float depth) {
  return x > 0.0f ? scale * x : depth * Expm1F(x);
}

}  // namespace

DL_ISA_CLONES void GeluForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = AtLeast(x[i], -kNormalBound);
    x[i] = c * NormalCdfF(AtMost(c, kNormalBound));
  }
}
DL_ISA_CLONES void GeluBackward(const float* x, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = AtMost(AtLeast(x[i], -kNormalBound), kNormalBound);
    const NormalParts normal = NormalPartsF(c);
    dy[i] = dy[i] * FusedF(c * kInverseRootOfTwoPi, normal.exponential, normal.probability);
  }
}

DL_ISA_CLONES void GeluTanhForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = AtLeast(x[i], -kNormalBound);
    x[i] = c * LogisticOfGelu(AtMost(c, kNormalBound));
  }
}
DL_ISA_CLONES void GeluTanhBackward(const float* x, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = AtMost(AtLeast(x[i], -kNormalBound), kNormalBound);
    const float s = LogisticOfGelu(c);
    const float slope = FusedF(3.0f * kCubic, c * c, kSlope);
    dy[i] = dy[i] * FusedF(c * (s * (1.0f - s)), slope, s);
  }
}

DL_ISA_CLONES void SiluForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = AtLeast(x[i], -kLogisticBound);
    x[i] = c * SigmoidF(c);
  }
}
DL_ISA_CLONES void SiluBackward(const float* x, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = AtMost(AtLeast(x[i], -kLogisticBound), kLogisticBound);
    const float s = SigmoidF(c);
    dy[i] = dy[i] * (s + c * (s * (1.0f - s)));
  }
}

DL_ISA_CLONES void MishForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = AtLeast(x[i], -kLogisticBound);
    const MishParts m = MishPartsF(c);
    x[i] = c * (m.n / (m.n + 2.0f));
  }
}
// With t = n / (n + 2): t + x (1 - t^2) sigmoid(x), where 1 - t^2 = 4 (n + 1) / (n + 2)^2.
DL_ISA_CLONES void MishBackward(const float* x, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float c = AtMost(AtLeast(x[i], -kLogisticBound), 20.0f);
    const MishParts m = MishPartsF(c);
    const float below = 1.0f / (m.n + 2.0f);
    const float rest = 4.0f * ((m.n + 1.0f) * below) * below;
    dy[i] = dy[i] * (m.n * below + c * (rest * (m.e / (1.0f + m.e))));
  }
}

DL_ISA_CLONES void EluForward(float* x, int64_t n, float alpha) {
  for (int64_t i = 0; i < n; ++i) x[i] = EluF(x[i], 1.0f, alpha);
}
DL_ISA_CLONES void EluBackward(const float* y, float* dy, int64_t n, float alpha) {
  for (int64_t i = 0; i < n; ++i) dy[i] = y[i] > 0.0f ? dy[i] : dy[i] * (y[i] + alpha);
}

DL_ISA_CLONES void SeluForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = EluF(x[i], kSeluScale, kSeluDepth);
}
DL_ISA_CLONES void SeluBackward(const float* y, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dy[i] = dy[i] * (y[i] > 0.0f ? kSeluScale : y[i] + kSeluDepth);
}

// max(x, 0) + log(1 + exp(-|x|))
DL_ISA_CLONES void SoftplusForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float above = x[i] < 0.0f ? 0.0f : x[i];
    x[i] = above + Log1pF(ExpF(-AtMost(__builtin_fabsf(x[i]), kLogisticBound)));
  }
}
DL_ISA_CLONES void SoftplusBackward(const float* y, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dy[i] = dy[i] * -Expm1F(-y[i]);
}

DL_ISA_CLONES void SoftsignForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] / (1.0f + __builtin_fabsf(x[i]));
}
DL_ISA_CLONES void SoftsignBackward(const float* y, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float rest = 1.0f - __builtin_fabsf(y[i]);
    dy[i] = dy[i] * (rest * rest);
  }
}

}  // namespace dl::nn
