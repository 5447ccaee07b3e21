#include "nn/kernels/rows.h"

#include <algorithm>

#include "base/portable_math.h"
#include "nn/kernels/float_math.h"

namespace dl::nn {
namespace {

constexpr int kLanes = 16;

template <typename T>
DL_ALWAYS_INLINE T Tree(T lane[kLanes]) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lane[j] += lane[j + width];
  }
  return lane[0];
}

DL_ALWAYS_INLINE float Sum(const float* x, int64_t n) {
  float lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lane[j] += x[i + j];
  }
  for (int j = 0; i + j < n; ++j) lane[j] += x[i + j];
  return Tree(lane);
}

DL_ALWAYS_INLINE float DotProduct(const float* x, const float* y, int64_t n) {
  float lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lane[j] += x[i + j] * y[i + j];
  }
  for (int j = 0; i + j < n; ++j) lane[j] += x[i + j] * y[i + j];
  return Tree(lane);
}

DL_ALWAYS_INLINE float Largest(const float* x, int64_t n) {
  float largest = x[0];
  for (int64_t i = 1; i < n; ++i) largest = largest < x[i] ? x[i] : largest;
  return largest;
}

DL_ALWAYS_INLINE double ClampedSquare(float x, float bound) {
  float c = x > bound ? bound : x;
  c = c < -bound ? -bound : c;
  return static_cast<double>(c) * static_cast<double>(c);
}

// x becomes exp(x - max); returns the sum.
DL_ALWAYS_INLINE float Exponentials(float* x, int64_t n, float largest) {
  for (int64_t i = 0; i < n; ++i) x[i] = ExpF(x[i] - largest);
  return Sum(x, n);
}

}  // namespace

DL_ISA_CLONES void SoftmaxForward(float* x, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, x += n) {
    const float sum = Exponentials(x, n, Largest(x, n));
    for (int64_t i = 0; i < n; ++i) x[i] = x[i] / sum;
  }
}

DL_ISA_CLONES void SoftmaxBackward(const float* y, float* dy, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, y += n, dy += n) {
    const float dot = DotProduct(y, dy, n);
    for (int64_t i = 0; i < n; ++i) dy[i] = y[i] * (dy[i] - dot);
  }
}

int64_t ArgMax(const float* x, int64_t n) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    if (!(x[i] <= x[best]) && x[best] == x[best]) best = i;
  }
  return best;
}

DL_ISA_CLONES double SoftmaxCrossEntropyRow(float* x, int64_t n, int64_t label) {
  const float largest = Largest(x, n);
  const double below = static_cast<double>(largest) - static_cast<double>(x[label]);
  const float sum = Exponentials(x, n, largest);
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] / sum;
  if (!(sum >= 1.0f && sum < 1e30f)) return __builtin_nan("");
  return portable::Log(sum) + below;
}

DL_ISA_CLONES void SoftmaxCrossEntropyGradient(const float* probabilities, int64_t n, int64_t label,
                                               float scale, float* gradient) {
  for (int64_t i = 0; i < n; ++i) gradient[i] = probabilities[i] * scale;
  gradient[label] = (probabilities[label] - 1.0f) * scale;
}

double SquaredErrorRow(const float* y, const float* target, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(y[i]) - static_cast<double>(target[i]);
    sum += d * d;
  }
  return sum;
}

DL_ISA_CLONES void SquaredErrorGradient(const float* y, const float* target, int64_t n, float scale,
                                        float* gradient) {
  for (int64_t i = 0; i < n; ++i) gradient[i] = (y[i] - target[i]) * scale;
}

DL_ISA_CLONES double SumOfSquares(const float* x, int64_t n, float bound) {
  constexpr int64_t kChunk = 1024;
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    const int64_t end = std::min(n, begin + kChunk);
    double lane[kLanes] = {};
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (int j = 0; j < kLanes; ++j) lane[j] += ClampedSquare(x[i + j], bound);
    }
    for (int j = 0; i + j < end; ++j) lane[j] += ClampedSquare(x[i + j], bound);
    total += Tree(lane);
  }
  return total;
}

}  // namespace dl::nn
