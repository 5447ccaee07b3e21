#include "nn/kernels/step_window_kernels.h"

#include <algorithm>
#include <cmath>

namespace dl::nn {
namespace {

// Calls visit(row of the window, row of its first step, number of its steps) for each window, in
// ascending order.
template <typename Visit>
void VisitWindows(const StepWindows& w, const Visit& visit) {
  const SequenceShape& s = w.steps;
  for (int64_t e = 0; e < s.examples; ++e) {
    const int64_t own = s.StepsOf(e), first = e * s.steps;
    const int64_t windows = w.window.LengthOf(own);
    for (int64_t t = 0; t < windows; ++t) {
      const int64_t from = t * w.window.stride - w.before;
      const int64_t begin = std::max<int64_t>(0, from);
      const int64_t end = std::min(own, from + w.kernel);
      visit((e * w.windows + t) * s.n, (first + begin) * s.n, end - begin);
    }
  }
}

float DivisorOf(const StepWindows& w, int64_t steps) {
  return static_cast<float>(w.divides_by_kernel ? w.kernel : steps);
}

// Sets the rows after each example's last window to 0.
void ClearAfterWindows(const StepWindows& w, float* y) {
  const SequenceShape& s = w.steps;
  for (int64_t e = 0; e < s.examples; ++e) {
    const int64_t own = w.window.LengthOf(s.StepsOf(e));
    std::fill_n(y + (e * w.windows + own) * s.n, (w.windows - own) * s.n, 0.0f);
  }
}

// Returns which of the `steps` rows from `x` on has the largest value i, or the first NaN.
int64_t LargestAt(const float* x, int64_t steps, int64_t n, int64_t i) {
  int64_t best = 0;
  for (int64_t t = 1; t < steps && !std::isnan(x[best * n + i]); ++t) {
    if (!(x[t * n + i] <= x[best * n + i])) best = t;
  }
  return best;
}

}  // namespace

void ClearPadding(const SequenceShape& s, float* rows) {
  for (int64_t e = 0; e < s.examples; ++e) {
    const int64_t own = s.StepsOf(e);
    std::fill_n(rows + (e * s.steps + own) * s.n, (s.steps - own) * s.n, 0.0f);
  }
}

void MeanOfWindows(const StepWindows& w, const float* x, float* y) {
  const int64_t n = w.steps.n;
  VisitWindows(w, [&](int64_t to, int64_t from, int64_t steps) {
    std::copy_n(x + from, n, y + to);
    for (int64_t t = 1; t < steps; ++t) {
      for (int64_t i = 0; i < n; ++i) y[to + i] += x[from + t * n + i];
    }
    const float divisor = DivisorOf(w, steps);
    for (int64_t i = 0; i < n; ++i) y[to + i] /= divisor;
  });
  ClearAfterWindows(w, y);
}

void MeanOfWindowsGradient(const StepWindows& w, const float* dy, float* dx) {
  const int64_t n = w.steps.n;
  std::fill_n(dx, w.steps.examples * w.steps.steps * n, 0.0f);
  VisitWindows(w, [&](int64_t from, int64_t to, int64_t steps) {
    const float divisor = DivisorOf(w, steps);
    for (int64_t t = 0; t < steps; ++t) {
      for (int64_t i = 0; i < n; ++i) dx[to + t * n + i] += dy[from + i] / divisor;
    }
  });
}

void LargestOfWindows(const StepWindows& w, const float* x, float* y) {
  const int64_t n = w.steps.n;
  VisitWindows(w, [&](int64_t to, int64_t from, int64_t steps) {
    for (int64_t i = 0; i < n; ++i) y[to + i] = x[from + LargestAt(x + from, steps, n, i) * n + i];
  });
  ClearAfterWindows(w, y);
}

void LargestOfWindowsGradient(const StepWindows& w, const float* x, const float* dy, float* dx) {
  const int64_t n = w.steps.n;
  std::fill_n(dx, w.steps.examples * w.steps.steps * n, 0.0f);
  VisitWindows(w, [&](int64_t from, int64_t to, int64_t steps) {
    for (int64_t i = 0; i < n; ++i) dx[to + LargestAt(x + to, steps, n, i) * n + i] += dy[from + i];
  });
}

}  // namespace dl::nn
