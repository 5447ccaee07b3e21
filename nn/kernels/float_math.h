// exp, log(1 + u), tanh, the logistic function and the normal distribution on floats. Only + - * /,
// fused multiply-adds, comparisons and operations on integers are used, so the bits are equal on
// every CPU. libm in contrast chooses a variant for each CPU. For inclusion in loops that
// vectorize. Accuracy: a few ulp (tested), except NormalPartsF.
#pragma once

#include <bit>
#include <cstdint>

#include "nn/kernels/clones.h"

namespace dl::nn {

// Returns a b + c, rounded once. All loops that use this header run only on CPUs with AVX2 and FMA.
DL_ALWAYS_INLINE float FusedF(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

// Returns e^x as 2^n and e^r - 1, where r = x - n ln 2. x is clamped to [-87.33, 88.37]. NaN gives
// NaN.
struct ExpParts {
  float rest;   // e^r - 1, |r| <= 0.347
  float power;  // 2^n
};
DL_ALWAYS_INLINE ExpParts ExpPartsF(float x) {
  const float low = -87.33654f;
  const float high = 88.37626f;
  float c = x < low ? low : x;  // comparisons with NaN are false, so NaN passes
  c = c > high ? high : c;
  const float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float n = FusedF(c, 1.44269504f, magic) - magic;
  // ln 2 in two parts; the first has few bits
  const float r = FusedF(n, 2.12194440e-4f, FusedF(n, -0.693359375f, c));
  // Taylor polynomial to r^7 for |r| <= 0.347. The first omitted term is below 2^-27 of the result.
  float p = 1.0f / 5040.0f;
  p = FusedF(p, r, 1.0f / 720.0f);
  p = FusedF(p, r, 1.0f / 120.0f);
  p = FusedF(p, r, 1.0f / 24.0f);
  p = FusedF(p, r, 1.0f / 6.0f);
  p = FusedF(p, r, 0.5f);
  p = FusedF(p * r, r, r);
  // n is in the low mantissa bits of n + magic. This avoids a conversion that could overflow on
  // NaN.
  const int32_t exponent = std::bit_cast<int32_t>(n + magic) - std::bit_cast<int32_t>(magic);
  return {p, std::bit_cast<float>((exponent + 127) << 23)};
}

// Returns e^x, with the same clamping.
DL_ALWAYS_INLINE float ExpF(float x) {
  const ExpParts parts = ExpPartsF(x);
  return FusedF(parts.rest, parts.power, parts.power);
}

// Returns e^x - 1, with the same clamping, accurate also for x near 0.
DL_ALWAYS_INLINE float Expm1F(float x) {
  const ExpParts parts = ExpPartsF(x);
  return FusedF(parts.rest, parts.power, parts.power - 1.0f);
}

// Returns log(1 + u) for u in [0, 1], computed as 2 artanh(u / (2 + u)). The first omitted term is
// below 2^-29 of the result.
DL_ALWAYS_INLINE float Log1pF(float u) {
  const float s = u / (2.0f + u);
  const float z = s * s;
  float p = 1.0f / 15.0f;
  p = FusedF(p, z, 1.0f / 13.0f);
  p = FusedF(p, z, 1.0f / 11.0f);
  p = FusedF(p, z, 1.0f / 9.0f);
  p = FusedF(p, z, 1.0f / 7.0f);
  p = FusedF(p, z, 1.0f / 5.0f);
  p = FusedF(p, z, 1.0f / 3.0f);
  p = FusedF(p * z, s, s);
  return p + p;
}

// Returns tanh(x) by a rational minimax approximation of degree 13 over 6 for |x| <= 7.9, with the
// coefficients of generic_fast_tanh_float in Eigen 3.4. For larger |x| the result is that of 7.9 or
// -7.9: 2 ulp from 1 or -1. NaN gives NaN.
DL_ALWAYS_INLINE float TanhF(float x) {
  const float bound = 7.90531110763549805f;
  float c = x < -bound ? -bound : x;
  c = c > bound ? bound : c;
  const float z = c * c;
  float p = -2.76076847742355e-16f;
  p = FusedF(p, z, 2.00018790482477e-13f);
  p = FusedF(p, z, -8.60467152213735e-11f);
  p = FusedF(p, z, 5.12229709037114e-08f);
  p = FusedF(p, z, 1.48572235717979e-05f);
  p = FusedF(p, z, 6.37261928875436e-04f);
  p = FusedF(p, z, 4.89352455891786e-03f);
  p = p * c;
  float q = 1.19825839466702e-06f;
  q = FusedF(q, z, 1.18534705686654e-04f);
  q = FusedF(q, z, 2.26843463243900e-03f);
  q = FusedF(q, z, 4.89352518554385e-03f);
  return p / q;
}

// Returns the logistic function. x is clamped to at least -87, where all intermediate results are
// normal numbers. Without clamping, a subnormal result would be kept by a compiler that evaluates
// it at compile time, but flushed to 0 by the processor.
DL_ALWAYS_INLINE float SigmoidF(float x) {
  const float c = x < -87.0f ? -87.0f : x;
  return 1.0f / (1.0f + ExpF(-c));
}

// Returns P(X <= x) of N(0, 1) and exp(-x^2/2), for x in [-12, 12]. With z = |x| / sqrt(2), P(X >
// |x|) is exp(-z^2) erfcx(z) / 2, where erfcx(z) = exp(z^2) erfc(z) is smooth: with t = 1 / (1 +
// 0.3 z), the minimax polynomial of erfcx(z) / t of degree 8 (Remez) has a relative error below
// 2e-8 for z in [0, 12 / sqrt(2)]. NaN gives NaN. The rounding of x^2/2 dominates the error of the
// exponential and of small probabilities: it is a few ulp near 0 and 33 ulp at -12.
struct NormalParts {
  float probability, exponential;
};
DL_ALWAYS_INLINE NormalParts NormalPartsF(float x) {
  const float t = 1.0f / FusedF(__builtin_fabsf(x), 0.212132034f, 1.0f);  // 0.3 / sqrt(2)
  float p = -0.128926924f;
  p = FusedF(p, t, 0.482418664f);
  p = FusedF(p, t, -0.505160307f);
  p = FusedF(p, t, 0.538704602f);
  p = FusedF(p, t, -0.0876716877f);
  p = FusedF(p, t, 0.211549558f);
  p = FusedF(p, t, 0.149334838f);
  p = FusedF(p, t, 0.170551816f);
  p = FusedF(p, t, 0.169199421f);
  const float exponential = ExpF(-0.5f * (x * x));
  const float tail = (0.5f * t) * (p * exponential);
  return {x < 0.0f ? tail : 1.0f - tail, exponential};
}
DL_ALWAYS_INLINE float NormalCdfF(float x) { return NormalPartsF(x).probability; }

}  // namespace dl::nn
