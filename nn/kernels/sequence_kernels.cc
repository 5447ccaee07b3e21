#include "nn/kernels/sequence_kernels.h"

#include <algorithm>

#include "nn/kernels/activations.h"

namespace dl::nn {

namespace {

// Returns the index of step t of example e in the order by step.
int64_t Place(const SequenceShape& s, int64_t e, int64_t t) {
  const int64_t own = s.StepsOf(e);
  const int64_t turn = s.order == StepOrder::kForward || t >= own ? t : own - 1 - t;
  return (turn * s.examples + e) * s.n;
}

// Returns the index of the largest value of one feature of example e, whose first step is at `x`,
// relative to `x`. The earliest of equal values is used. NaN counts as the largest.
int64_t EarliestLargest(const SequenceShape& s, int64_t e, const float* x) {
  int64_t best = 0;
  for (int64_t t = 1; t < s.StepsOf(e); ++t) {
    if (!(x[t * s.n] <= x[best]) && x[best] == x[best]) best = t * s.n;
  }
  return best;
}

}  // namespace

void ByStepsFromExamples(const SequenceShape& s, IndexRange range, const float* by_examples,
                         float* by_steps) {
  by_examples += range.begin * s.steps * s.n;
  for (int64_t e = range.begin; e < range.end; ++e) {
    for (int64_t t = 0; t < s.steps; ++t, by_examples += s.n)
      std::copy_n(by_examples, s.n, by_steps + Place(s, e, t));
  }
}

void ByExamplesFromSteps(const SequenceShape& s, IndexRange range, const float* by_steps,
                         float* by_examples) {
  by_examples += range.begin * s.steps * s.n;
  for (int64_t e = range.begin; e < range.end; ++e) {
    for (int64_t t = 0; t < s.steps; ++t, by_examples += s.n)
      std::copy_n(by_steps + Place(s, e, t), s.n, by_examples);
  }
}

void AddToEachExample(const SequenceShape& s, const float* rows, float* x) {
  const int64_t example = s.steps * s.n;
  for (int64_t e = 0; e < s.examples; ++e) AddTo(x + e * example, rows, example);
}

void SumOverExamples(const SequenceShape& s, IndexRange range, const float* dy, float* gradient) {
  const int64_t example = s.steps * s.n;
  dy += range.begin;
  gradient += range.begin;
  std::copy_n(dy, range.size(), gradient);
  for (int64_t e = 1; e < s.examples; ++e) AddTo(gradient, dy + e * example, range.size());
}

void TakeLastStep(const SequenceShape& s, const float* x, float* y) {
  for (int64_t e = 0; e < s.examples; ++e)
    std::copy_n(x + (e * s.steps + s.StepsOf(e) - 1) * s.n, s.n, y + e * s.n);
}

void TakeLastStepGradient(const SequenceShape& s, const float* dy, float* dx) {
  std::fill_n(dx, s.examples * s.steps * s.n, 0.0f);
  for (int64_t e = 0; e < s.examples; ++e)
    std::copy_n(dy + e * s.n, s.n, dx + (e * s.steps + s.StepsOf(e) - 1) * s.n);
}

void MeanOverSteps(const SequenceShape& s, const float* x, float* y) {
  for (int64_t e = 0; e < s.examples; ++e, x += s.steps * s.n, y += s.n) {
    const int64_t own = s.StepsOf(e);
    std::copy_n(x, s.n, y);
    for (int64_t t = 1; t < own; ++t) AddTo(y, x + t * s.n, s.n);
    const auto steps = static_cast<float>(own);
    for (int64_t i = 0; i < s.n; ++i) y[i] /= steps;
  }
}

void MeanOverStepsGradient(const SequenceShape& s, const float* dy, float* dx) {
  std::fill_n(dx, s.examples * s.steps * s.n, 0.0f);
  for (int64_t e = 0; e < s.examples; ++e, dy += s.n, dx += s.steps * s.n) {
    const auto steps = static_cast<float>(s.StepsOf(e));
    for (int64_t i = 0; i < s.n; ++i) dx[i] = dy[i] / steps;
    for (int64_t t = 1; t < s.StepsOf(e); ++t) std::copy_n(dx, s.n, dx + t * s.n);
  }
}

void LargestOfSteps(const SequenceShape& s, const float* x, float* y) {
  for (int64_t e = 0; e < s.examples; ++e, x += s.steps * s.n, y += s.n) {
    for (int64_t i = 0; i < s.n; ++i) y[i] = x[i + EarliestLargest(s, e, x + i)];
  }
}

void LargestOfStepsGradient(const SequenceShape& s, const float* x, const float* dy, float* dx) {
  std::fill_n(dx, s.examples * s.steps * s.n, 0.0f);
  for (int64_t e = 0; e < s.examples; ++e) {
    for (int64_t i = 0; i < s.n; ++i) dx[i + EarliestLargest(s, e, x + i)] = dy[i];
    x += s.steps * s.n;
    dx += s.steps * s.n;
    dy += s.n;
  }
}

void RepeatRows(const SequenceShape& s, const float* x, float* y) {
  for (int64_t e = 0; e < s.examples; ++e) {
    for (int64_t t = 0; t < s.steps; ++t)
      std::copy_n(x + e * s.n, s.n, y + (e * s.steps + t) * s.n);
  }
}

void SumOverSteps(const SequenceShape& s, const float* dy, float* dx) {
  for (int64_t e = 0; e < s.examples; ++e, dx += s.n) {
    const float* const steps = dy + e * s.steps * s.n;
    std::copy_n(steps, s.n, dx);
    for (int64_t t = 1; t < s.steps; ++t) AddTo(dx, steps + t * s.n, s.n);
  }
}

void KeepEnded(const SequenceShape& s, int64_t t, const float* before, float* after) {
  if (s.lengths == nullptr) return;
  for (int64_t e = 0; e < s.examples; ++e) {
    if (t >= s.StepsOf(e)) std::copy_n(before + e * s.n, s.n, after + e * s.n);
  }
}

void GiveToLastStep(const SequenceShape& s, const float* last, float* by_steps) {
  std::fill_n(by_steps, s.steps * s.examples * s.n, 0.0f);
  for (int64_t e = 0; e < s.examples; ++e) {
    const int64_t turn = s.StepsOf(e) - 1;
    std::copy_n(last + e * s.n, s.n, by_steps + (turn * s.examples + e) * s.n);
  }
}

int64_t FirstWrongIndex(const TableShape& s, const float* indices) {
  const auto bound = static_cast<float>(s.indices);
  for (int64_t r = 0; r < s.rows; ++r) {
    if (!(indices[r] >= 0.0f && indices[r] < bound)) return r;  // rejects NaN, too
    if (static_cast<float>(static_cast<int64_t>(indices[r])) != indices[r]) return r;
  }
  return -1;
}

void TakeRows(const TableShape& s, IndexRange range, const float* indices, const float* table,
              float* y) {
  for (int64_t r = range.begin; r < range.end; ++r)
    std::copy_n(table + static_cast<int64_t>(indices[r]) * s.n, s.n, y + r * s.n);
}

void AddRowsGradient(const TableShape& s, IndexRange columns, const float* indices, const float* dy,
                     float* gradient) {
  dy += columns.begin;
  gradient += columns.begin;
  for (int64_t r = 0; r < s.rows; ++r)
    AddTo(gradient + static_cast<int64_t>(indices[r]) * s.n, dy + r * s.n, columns.size());
}

}  // namespace dl::nn
