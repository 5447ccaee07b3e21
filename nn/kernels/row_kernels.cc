#include "nn/kernels/row_kernels.h"

#include <algorithm>
#include <cstring>

#include "base/portable_math.h"
#include "nn/kernels/float_math.h"
#include "nn/kernels/lanes.h"
#include "nn/kernels/terms.h"

namespace dl::nn {
namespace {

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

DL_ALWAYS_INLINE float Larger(float a, float b) { return a < b ? b : a; }

// For shorter rows, lanes cost more than they save.
constexpr int64_t kShortRow = 2 * kLanes;

// Vectors that every instruction set has, because g++ does not vectorize comparisons of lanes, and
// divides comparisons of wider vectors into single numbers.
using Four = float __attribute__((vector_size(4 * sizeof(float))));
using FourIndices = int32_t __attribute__((vector_size(4 * sizeof(int32_t))));
constexpr int kFours = 4;
constexpr int64_t kBlock = kFours * 4;

DL_ALWAYS_INLINE Four Load(const float* x) {
  Four four;
  std::memcpy(&four, x, sizeof(four));
  return four;
}

// Returns any number if the row has a NaN.
DL_ALWAYS_INLINE float Largest(const float* x, int64_t n) {
  float largest = x[0];
  int64_t i = 0;
  if (n >= kShortRow) {
    Four lanes[kFours];
    for (int k = 0; k < kFours; ++k) lanes[k] = Load(x + 4 * k);
    for (i = kBlock; i + kBlock <= n; i += kBlock) {
      for (int k = 0; k < kFours; ++k) {
        const Four next = Load(x + i + 4 * k);
        lanes[k] = lanes[k] < next ? next : lanes[k];
      }
    }
    for (const Four& four : lanes) {
      for (int j = 0; j < 4; ++j) largest = Larger(largest, four[j]);
    }
  }
  for (; i < n; ++i) largest = Larger(largest, x[i]);
  return largest;
}

int64_t ArgMaxOfShortRow(const float* x, int64_t n) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    if (!(x[i] <= x[best]) && x[best] == x[best]) best = i;
  }
  return best;
}

// Returns ArgMax of a row of kShortRow to 2^31 numbers.
DL_ISA_CLONES int64_t ArgMaxOfLongRow(const float* x, int64_t n) {
  Four lanes[kFours];               // the largest numbers so far
  FourIndices blocks[kFours] = {};  // the blocks that they are in: the index of the first number
  FourIndices nans[kFours];
  for (int k = 0; k < kFours; ++k) {
    lanes[k] = Load(x + 4 * k);
    nans[k] = lanes[k] != lanes[k];
  }
  int64_t i = kBlock;
  for (; i + kBlock <= n; i += kBlock) {
    for (int k = 0; k < kFours; ++k) {
      const Four next = Load(x + i + 4 * k);
      nans[k] |= next != next;
      blocks[k] = lanes[k] < next ? FourIndices{} + static_cast<int32_t>(i) : blocks[k];
      lanes[k] = lanes[k] < next ? next : lanes[k];
    }
  }
  bool has_nan = false;
  int64_t best = 0;
  for (int j = 0; j < kBlock; ++j) {
    has_nan |= nans[j / 4][j % 4] != 0;
    const int64_t place = blocks[j / 4][j % 4] + j;
    if (x[place] > x[best] || (x[place] == x[best] && place < best)) best = place;
  }
  if (has_nan) return ArgMaxOfShortRow(x, n);
  for (; i < n; ++i) {
    if (!(x[i] <= x[best]) && x[best] == x[best]) best = i;
  }
  return best;
}

struct ClampedSquare {
  const float* x;
  float bound;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    float c = x[i] > bound ? bound : x[i];
    c = c < -bound ? -bound : c;
    return static_cast<double>(c) * static_cast<double>(c);
  }
};

// Difference between the largest value and x.
struct Below {
  const float* x;
  float largest;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return static_cast<double>(largest) - static_cast<double>(x[i]);
  }
};

// Returns the sum of t log t of a distribution. The logarithm is not vectorized; the sum has the
// usual order.
double NegativeEntropy(const float* t, int64_t n) {
  const auto term = [t](int64_t i) {
    const auto value = static_cast<double>(t[i]);
    return value > 0.0 ? value * portable::Log(value) : 0.0;
  };
  return ChunkedSum(n, term);
}

// t (max - x)
struct WeightedBelow {
  Below below;
  const float* t;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return static_cast<double>(t[i]) * below(i);
  }
};

// Sets x to exp(x - max). Returns the sum.
DL_ALWAYS_INLINE float Exponentials(float* x, int64_t n, float largest) {
  for (int64_t i = 0; i < n; ++i) x[i] = ExpF(x[i] - largest);
  return Sum(x, n);
}

// Returns log(sum), where sum = sum of exp(x - max), or NaN if the sum is not valid.
double LogOfSum(float sum) {
  if (!(sum >= 1.0f && sum < 1e30f)) return __builtin_nan("");
  return portable::Log(sum);
}

// Sets x to the probabilities. Returns LogOfSum.
DL_ALWAYS_INLINE double LogOfSoftmaxSum(float* x, int64_t n, float largest) {
  const float sum = Exponentials(x, n, largest);
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] / sum;
  return LogOfSum(sum);
}

// The terms that the gradient of a smoothed cross-entropy subtracts from the probabilities.
struct SmoothedShares {
  explicit SmoothedShares(const SmoothedLabel& expected, int64_t n) {
    const double share = expected.smoothing / static_cast<double>(n);
    of_each = static_cast<float>(share);
    of_label = static_cast<float>((1.0 - expected.smoothing) + share);
  }
  float of_each = 0, of_label = 0;
};

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
  return n < kShortRow ? ArgMaxOfShortRow(x, n) : ArgMaxOfLongRow(x, n);
}

DL_ISA_CLONES double SoftmaxCrossEntropyRow(float* x, int64_t n, int64_t label) {
  const float largest = Largest(x, n);
  const double below = static_cast<double>(largest) - static_cast<double>(x[label]);
  return LogOfSoftmaxSum(x, n, largest) + below;
}

DL_ISA_CLONES void SoftmaxCrossEntropyGradient(const float* probabilities, int64_t n, int64_t label,
                                               float scale, float* gradient) {
  const float of_label = probabilities[label];
#pragma GCC ivdep  // the arrays are equal or apart
  for (int64_t i = 0; i < n; ++i) gradient[i] = probabilities[i] * scale;
  gradient[label] = (of_label - 1.0f) * scale;
}

DL_ISA_CLONES double SoftmaxCrossEntropyStep(float* x, int64_t n, int64_t label, float scale) {
  const float largest = Largest(x, n);
  const double below = static_cast<double>(largest) - static_cast<double>(x[label]);
  const float sum = Exponentials(x, n, largest);
  const float of_label = x[label] / sum;
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] / sum * scale;
  x[label] = (of_label - 1.0f) * scale;
  return LogOfSum(sum) + below;
}

// -sum q_k log(probability of k) = log(sum) + sum q_k (max - x_k). Returns the second term.
DL_ALWAYS_INLINE double SmoothedBelow(const Below& below, int64_t n,
                                      const SmoothedLabel& expected) {
  const double of_label = below(expected.label), of_all = ChunkedSum(n, below);
  const double smoothing = expected.smoothing;
  return (1.0 - smoothing) * of_label + smoothing / static_cast<double>(n) * of_all;
}

DL_ISA_CLONES double SmoothedCrossEntropyRow(float* x, int64_t n, const SmoothedLabel& expected) {
  const float largest = Largest(x, n);
  const double below = SmoothedBelow({x, largest}, n, expected);
  return LogOfSoftmaxSum(x, n, largest) + below;
}

DL_ISA_CLONES void SmoothedCrossEntropyGradient(const float* probabilities, int64_t n,
                                                const SmoothedLabel& expected, float scale,
                                                float* gradient) {
  const SmoothedShares shares(expected, n);
  const float of_label = probabilities[expected.label];
#pragma GCC ivdep  // the arrays are equal or apart
  for (int64_t i = 0; i < n; ++i) gradient[i] = (probabilities[i] - shares.of_each) * scale;
  gradient[expected.label] = (of_label - shares.of_label) * scale;
}

DL_ISA_CLONES double SmoothedCrossEntropyStep(float* x, int64_t n, const SmoothedLabel& expected,
                                              float scale) {
  const SmoothedShares shares(expected, n);
  const float largest = Largest(x, n);
  const double below = SmoothedBelow({x, largest}, n, expected);
  const float sum = Exponentials(x, n, largest);
  const float of_label = x[expected.label] / sum;
  for (int64_t i = 0; i < n; ++i) x[i] = (x[i] / sum - shares.of_each) * scale;
  x[expected.label] = (of_label - shares.of_label) * scale;
  return LogOfSum(sum) + below;
}

// sum t log t + sum t (max - x) + sum(t) log(sum of exp(x - max))
DL_ISA_CLONES double DivergenceRow(float* x, const float* targets, int64_t n) {
  const float largest = Largest(x, n);
  const double total = ChunkedSum(n, Value{targets});
  const double below = ChunkedSum(n, WeightedBelow{{x, largest}, targets});
  return (NegativeEntropy(targets, n) + below) + total * LogOfSoftmaxSum(x, n, largest);
}

DL_ISA_CLONES void DivergenceGradient(const float* probabilities, const float* targets, int64_t n,
                                      float scale, float* gradient) {
  const auto total = static_cast<float>(ChunkedSum(n, Value{targets}));
  for (int64_t i = 0; i < n; ++i) gradient[i] = (total * probabilities[i] - targets[i]) * scale;
}

DL_ISA_CLONES double SumOfSquares(const float* x, int64_t n, float bound) {
  return ChunkedSum(n, ClampedSquare{x, bound});
}

}  // namespace dl::nn
