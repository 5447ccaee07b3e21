#include "nn/kernels/step_norm.h"

#include <algorithm>
#include <cmath>

#include "nn/kernels/clones.h"
#include "nn/kernels/lanes.h"

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

DL_ISA_CLONES void MomentsOfSteps(const SequenceShape& s, IndexRange features, const float* x,
                                  float* mean, float* variance, double* sums) {
  const auto rows = static_cast<double>(RealSteps(s));
  const int64_t begin = features.begin, end = features.end;
  std::fill(sums + begin, sums + end, 0.0);
  VisitRealSteps(s, [&](int64_t row) {
    for (int64_t i = begin; i < end; ++i) sums[i] += static_cast<double>(x[row + i]);
  });
  for (int64_t i = begin; i < end; ++i) mean[i] = static_cast<float>(sums[i] / rows);
  std::fill(sums + begin, sums + end, 0.0);
  VisitRealSteps(s, [&](int64_t row) {
    for (int64_t i = begin; i < end; ++i) {
      const double distance = static_cast<double>(x[row + i]) - static_cast<double>(mean[i]);
      sums[i] += distance * distance;
    }
  });
  for (int64_t i = begin; i < end; ++i) variance[i] = static_cast<float>(sums[i] / rows);
}

DL_ISA_CLONES void StepNormForward(const StepNorm& norm, IndexRange features, const float* x,
                                   const float* beta, float* y) {
  const SequenceShape& s = norm.steps;
  for (int64_t begin = features.begin; begin < features.end; begin += kLanes) {
    const int64_t width = std::min<int64_t>(kLanes, features.end - begin);
    float scale[kLanes];
    for (int64_t i = 0; i < width; ++i) scale[i] = ScaleOf(norm, begin + i) * norm.gamma[begin + i];
    const float* const mean = norm.mean + begin;
    const float* const shift = beta + begin;
    VisitRealSteps(s, [&](int64_t row) {
      const float* const in = x + row + begin;
      float* const out = y + row + begin;
      DL_INDEPENDENT
      for (int64_t i = 0; i < width; ++i) out[i] = (in[i] - mean[i]) * scale[i] + shift[i];
    });
  }
}

DL_ISA_CLONES void StepNormBackward(const StepNorm& norm, IndexRange features, StepMoments moments,
                                    const float* x, const float* dy, const StepNormGradients& out) {
  const SequenceShape& s = norm.steps;
  const auto rows = static_cast<double>(RealSteps(s));
  const bool given = moments == StepMoments::kGiven;
  for (int64_t begin = features.begin; begin < features.end; begin += kLanes) {
    const int64_t width = std::min<int64_t>(kLanes, features.end - begin);
    const float* const mean = norm.mean + begin;
    float scale[kLanes];
    double along[kLanes] = {}, all[kLanes] = {};
    for (int64_t i = 0; i < width; ++i) scale[i] = ScaleOf(norm, begin + i);
    VisitRealSteps(s, [&](int64_t row) {
      const float* const in = x + row + begin;
      const float* const d_out = dy + row + begin;
      DL_INDEPENDENT
      for (int64_t i = 0; i < width; ++i) {
        along[i] += static_cast<double>(d_out[i] * ((in[i] - mean[i]) * scale[i]));
        all[i] += static_cast<double>(d_out[i]);
      }
    });
    for (int64_t i = 0; i < width; ++i) {
      out.dgamma[begin + i] = static_cast<float>(along[i]);
      out.dbeta[begin + i] = static_cast<float>(all[i]);
    }
    if (out.dx == nullptr) continue;
    float mean_along[kLanes], mean_all[kLanes], factor[kLanes];
    for (int64_t i = 0; i < width; ++i) {
      mean_along[i] = static_cast<float>(given ? 0.0 : along[i] / rows);
      mean_all[i] = static_cast<float>(given ? 0.0 : all[i] / rows);
      factor[i] = scale[i] * norm.gamma[begin + i];
    }
    VisitRealSteps(s, [&](int64_t row) {
      const float* const in = x + row + begin;
      const float* const d_out = dy + row + begin;
      float* const dx = out.dx + row + begin;
      DL_INDEPENDENT
      for (int64_t i = 0; i < width; ++i) {
        const float normalized = (in[i] - mean[i]) * scale[i];
        dx[i] = factor[i] * (d_out[i] - mean_all[i] - normalized * mean_along[i]);
      }
    });
  }
}

}  // namespace dl::nn
