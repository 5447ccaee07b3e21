#include "nn/kernels/error_rows.h"

#include <algorithm>

#include "base/portable_math.h"
#include "nn/kernels/float_math.h"
#include "nn/kernels/lanes.h"

namespace dl::nn {
namespace {

struct AbsoluteError {
  const float *y, *target;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return __builtin_fabs(static_cast<double>(y[i]) - static_cast<double>(target[i]));
  }
};

// c (|e| - c / 2) with c = min(|e|, delta) covers both branches. NaN stays NaN.
struct HuberError {
  AbsoluteError error;
  double delta;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    const double e = error(i);
    const double c = e < delta ? e : delta;
    return c * (e - 0.5 * c);
  }
};

// max(0, 1 - t y); NaN stays NaN.
struct Shortfall {
  const float *y, *target;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    const double e = 1.0 - static_cast<double>(target[i]) * static_cast<double>(y[i]);
    return e < 0.0 ? 0.0 : e;
  }
};

struct SquaredShortfall {
  Shortfall shortfall;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    const double e = shortfall(i);
    return e * e;
  }
};

// For rates and their logarithms.
struct PoissonError {
  const float *y, *target;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return static_cast<double>(ExpF(y[i])) -
           static_cast<double>(target[i]) * static_cast<double>(y[i]);
  }
};

struct Product {
  const float *x, *y;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
};

// (1 - t) z + (1 + (w - 1) t) (log(1 + exp(-|z|)) + max(-z, 0)). The logarithm is not vectorized,
// so every CPU runs the same code.
struct WeightedCrossEntropy {
  const float *z, *target;
  PositiveWeights positive;
  double operator()(int64_t i) const {
    const auto x = static_cast<double>(z[i]), t = static_cast<double>(target[i]);
    const auto w = static_cast<double>(positive.weights[i % positive.count]);
    const double small = static_cast<double>(ExpF(-__builtin_fabsf(z[i])));
    const double minus_log = portable::Log(1.0 + small) + (x < 0.0 ? -x : 0.0);
    return (1.0 - t) * x + (1.0 + (w - 1.0) * t) * minus_log;
  }
};

// The part that is linear in z.
struct LinearPart {
  const float *z, *target;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    const auto x = static_cast<double>(z[i]);
    return (x < 0.0 ? 0.0 : x) - x * static_cast<double>(target[i]);
  }
};

DL_ALWAYS_INLINE double OnePlusExponential(float z) {
  return 1.0 + static_cast<double>(ExpF(-__builtin_fabsf(z)));
}

// Returns (1 + exp(-|z_begin|)) ... (1 + exp(-|z_(end - 1)|)), in lanes and a tree, like a sum.
DL_ALWAYS_INLINE double ProductOfExponentials(const float* z, int64_t begin, int64_t end) {
  double lane[kLanes];
  for (double& one : lane) one = 1.0;
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lane[j] *= OnePlusExponential(z[i + j]);
  }
  for (int j = 0; i + j < end; ++j) lane[j] *= OnePlusExponential(z[i + j]);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lane[j] *= lane[j + width];
  }
  return lane[0];
}

}  // namespace

double SquaredErrorRow(const float* y, const float* target, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(y[i]) - static_cast<double>(target[i]);
    sum += d * d;
  }
  return sum;
}

DL_ISA_CLONES double AbsoluteErrorRow(const float* y, const float* target, int64_t n) {
  return ChunkedSum(n, AbsoluteError{y, target});
}

DL_ISA_CLONES double HuberRow(const float* y, const float* target, int64_t n, double delta) {
  return ChunkedSum(n, HuberError{{y, target}, delta});
}

// The sum of logarithms is computed as the logarithm of a product. A product has so few factors,
// each at most 2, that it does not overflow.
DL_ISA_CLONES double BinaryCrossEntropyRow(const float* z, const float* target, int64_t n) {
  constexpr int64_t kFactors = 512;
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += kFactors) {
    const int64_t end = std::min(n, begin + kFactors);
    const double product = ProductOfExponentials(z, begin, end);
    if (!(product >= 1.0)) return __builtin_nan("");
    total += LaneSum(begin, end, LinearPart{z, target}) + portable::Log(product);
  }
  return total;
}

double WeightedBinaryCrossEntropyRow(const float* z, const float* target, int64_t n,
                                     const PositiveWeights& positive) {
  return ChunkedSum(n, WeightedCrossEntropy{z, target, positive});
}

DL_ISA_CLONES double PoissonRow(const float* y, const float* target, int64_t n) {
  return ChunkedSum(n, PoissonError{y, target});
}

DL_ISA_CLONES void Exponential(float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = ExpF(y[i]);
}

DL_ISA_CLONES double HingeRow(const float* y, const float* target, int64_t n) {
  return ChunkedSum(n, Shortfall{y, target});
}

DL_ISA_CLONES double SquaredHingeRow(const float* y, const float* target, int64_t n) {
  return ChunkedSum(n, SquaredShortfall{{y, target}});
}

DL_ISA_CLONES RowProducts ProductsOfRows(const float* x, const float* y, int64_t n) {
  return {.of_both = ChunkedSum(n, Product{x, y}),
          .of_first = ChunkedSum(n, Product{x, x}),
          .of_second = ChunkedSum(n, Product{y, y})};
}

DL_ISA_CLONES void ErrorGradient(const float* y, const float* target, int64_t n, float scale,
                                 float* gradient) {
  for (int64_t i = 0; i < n; ++i) gradient[i] = (y[i] - target[i]) * scale;
}

DL_ISA_CLONES void WeightedErrorGradient(const float* p, const float* target, int64_t n,
                                         const PositiveWeights& positive, float scale,
                                         float* gradient) {
  const auto of = [scale](float p_i, float w, float t) {
    return (p_i * (1.0f + (w - 1.0f) * t) - w * t) * scale;
  };
  if (positive.count == 1) {
    const float w = positive.weights[0];
    DL_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) gradient[i] = of(p[i], w, target[i]);
    return;
  }
  for (int64_t begin = 0; begin < n; begin += positive.count) {
    const int64_t end = std::min(n, begin + positive.count);
    DL_INDEPENDENT
    for (int64_t i = begin; i < end; ++i)
      gradient[i] = of(p[i], positive.weights[i - begin], target[i]);
  }
}

DL_ISA_CLONES void AbsoluteErrorGradient(const float* y, const float* target, int64_t n,
                                         float scale, float* gradient) {
  for (int64_t i = 0; i < n; ++i) {
    const float e = y[i] - target[i];
    gradient[i] = e > 0.0f ? scale : (e < 0.0f ? -scale : e);  // otherwise e is 0 or NaN
  }
}

DL_ISA_CLONES void HuberGradient(const float* y, const float* target, int64_t n,
                                 const HuberTerms& terms, float* gradient) {
  const HuberTerms t = terms;
  for (int64_t i = 0; i < n; ++i) {
    float e = y[i] - target[i];
    e = e > t.delta ? t.delta : e;
    e = e < -t.delta ? -t.delta : e;
    gradient[i] = e * t.scale;
  }
}

DL_ISA_CLONES void HingeGradient(const float* y, const float* target, int64_t n, float scale,
                                 float* gradient) {
  for (int64_t i = 0; i < n; ++i) {
    const float e = 1.0f - target[i] * y[i];
    gradient[i] = e > 0.0f ? -target[i] * scale : (e <= 0.0f ? 0.0f : e);  // otherwise e is NaN
  }
}

DL_ISA_CLONES void SquaredHingeGradient(const float* y, const float* target, int64_t n, float scale,
                                        float* gradient) {
  for (int64_t i = 0; i < n; ++i) {
    const float e = 1.0f - target[i] * y[i];
    gradient[i] = -target[i] * (e < 0.0f ? 0.0f : e) * scale;
  }
}

DL_ISA_CLONES void CombineRows(const float* x, const float* y, int64_t n, Combination by,
                               float* gradient) {
  for (int64_t i = 0; i < n; ++i) gradient[i] = by.a * x[i] + by.b * y[i];
}

}  // namespace dl::nn
