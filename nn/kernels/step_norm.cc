#include "nn/kernels/step_norm.h"

#include <algorithm>
#include <cmath>

#include "nn/kernels/clones.h"
#include "nn/kernels/step_window_kernels.h"

namespace dl::nn {
namespace {

// Calls visit(index of the row's first value) for each row that is not padding, in ascending order.
template <typename Visit>
DL_ALWAYS_INLINE void VisitRealSteps(const SequenceShape& s, const Visit& visit) {
  for (int64_t e = 0; e < s.examples; ++e) {
    for (int64_t t = 0; t < s.StepsOf(e); ++t) visit((e * s.steps + t) * s.n);
  }
}

float ScaleOf(const StepNorm& norm, int64_t i) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(norm.variance[i]) + norm.epsilon));
}

}  // namespace

int64_t RealSteps(const SequenceShape& steps) {
  int64_t real = 0;
  for (int64_t e = 0; e < steps.examples; ++e) real += steps.StepsOf(e);
  return real;
}

DL_ISA_CLONES void MomentsOfSteps(const SequenceShape& s, const float* x, float* mean,
                                  float* variance, double* sums) {
  const auto rows = static_cast<double>(RealSteps(s));
  const int64_t n = s.n;
  std::fill_n(sums, n, 0.0);
  VisitRealSteps(s, [&](int64_t row) {
    for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<double>(x[row + i]);
  });
  for (int64_t i = 0; i < n; ++i) mean[i] = static_cast<float>(sums[i] / rows);
  std::fill_n(sums, n, 0.0);
  VisitRealSteps(s, [&](int64_t row) {
    for (int64_t i = 0; i < n; ++i) {
      const double distance = static_cast<double>(x[row + i]) - static_cast<double>(mean[i]);
      sums[i] += distance * distance;
    }
  });
  for (int64_t i = 0; i < n; ++i) variance[i] = static_cast<float>(sums[i] / rows);
}

DL_ISA_CLONES void StepNormForward(const StepNorm& norm, const float* x, const float* beta,
                                   float* y) {
  const SequenceShape& s = norm.steps;
  for (int64_t i = 0; i < s.n; ++i) {
    const float mean = norm.mean[i], scale = ScaleOf(norm, i) * norm.gamma[i], shift = beta[i];
    VisitRealSteps(s, [&](int64_t row) { y[row + i] = (x[row + i] - mean) * scale + shift; });
  }
  ClearPadding(s, y);
}

DL_ISA_CLONES void StepNormBackward(const StepNorm& norm, StepMoments moments, const float* x,
                                    const float* dy, const StepNormGradients& out) {
  const SequenceShape& s = norm.steps;
  const auto rows = static_cast<double>(RealSteps(s));
  for (int64_t i = 0; i < s.n; ++i) {
    const float mean = norm.mean[i], scale = ScaleOf(norm, i);
    double along = 0, all = 0;
    VisitRealSteps(s, [&](int64_t row) {
      along += static_cast<double>(dy[row + i] * ((x[row + i] - mean) * scale));
      all += static_cast<double>(dy[row + i]);
    });
    out.dgamma[i] = static_cast<float>(along);
    out.dbeta[i] = static_cast<float>(all);
    if (out.dx == nullptr) continue;
    const bool given = moments == StepMoments::kGiven;
    const auto mean_along = static_cast<float>(given ? 0.0 : along / rows);
    const auto mean_all = static_cast<float>(given ? 0.0 : all / rows);
    const float factor = scale * norm.gamma[i];
    VisitRealSteps(s, [&](int64_t row) {
      const float normalized = (x[row + i] - mean) * scale;
      out.dx[row + i] = factor * (dy[row + i] - mean_all - normalized * mean_along);
    });
  }
  if (out.dx != nullptr) ClearPadding(s, out.dx);
}

}  // namespace dl::nn
