// Sequences as plain rows. Layers pass them on ordered by example, [examples, steps, n]. Recurrent
// layers compute them ordered by step, [steps, examples, n]. Sums run in ascending order of
// examples and steps.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

// The step that comes first in the order by step: an example's first step or its last.
enum class StepOrder : uint8_t { kForward, kBackward };

struct SequenceShape {
  int64_t examples = 0, steps = 0, n = 0;
  StepOrder order = StepOrder::kForward;  // used only by the two functions that change the order
  // Number of steps of each example, at least 1. The rows after them are padding, which stays at
  // the end in both orders. nullptr: all examples have all steps.
  const int32_t* lengths = nullptr;

  int64_t StepsOf(int64_t example) const { return lengths == nullptr ? steps : lengths[example]; }
  // Returns the shape of some of the examples.
  SequenceShape Slice(IndexRange range) const {
    SequenceShape slice = *this;
    slice.examples = range.size();
    if (lengths != nullptr) slice.lengths += range.begin;
    return slice;
  }
};
// Copy rows from the order by example to the order by step, and back, for the examples of a range.
void ByStepsFromExamples(const SequenceShape& shape, IndexRange range, const float* by_examples,
                         float* by_steps);
void ByExamplesFromSteps(const SequenceShape& shape, IndexRange range, const float* by_steps,
                         float* by_examples);

// AddToEachExample adds the same rows [steps, n] to each example, in place. SumOverExamples
// computes the gradient of the rows, the sum over the examples, for a range of the steps * n values
// of the gradient. Both treat padding like other rows.
void AddToEachExample(const SequenceShape& shape, const float* rows, float* x);
void SumOverExamples(const SequenceShape& shape, IndexRange range, const float* dy,
                     float* gradient);

// Copies the last step of each example, before its padding. The gradient function sets the gradient
// of all steps, which is 0 in padding.
void TakeLastStep(const SequenceShape& shape, const float* x, float* y);
void TakeLastStepGradient(const SequenceShape& shape, const float* dy, float* dx);

// Compute the mean over the steps of each example, and the maximum of each feature, where NaN
// counts as the largest. Padding is not read. The gradient functions set the gradient of all steps,
// which is 0 in padding.
void MeanOverSteps(const SequenceShape& shape, const float* x, float* y);
void MeanOverStepsGradient(const SequenceShape& shape, const float* dy, float* dx);
void LargestOfSteps(const SequenceShape& shape, const float* x, float* y);
// For equal maxima, the gradient goes to the earliest step.
void LargestOfStepsGradient(const SequenceShape& shape, const float* x, const float* dy, float* dx);

// RepeatRows copies each row [n] to all steps of its example. SumOverSteps computes the gradient of
// the rows, the sum over the steps. Both treat padding like other rows.
void RepeatRows(const SequenceShape& shape, const float* x, float* y);
void SumOverSteps(const SequenceShape& shape, const float* dy, float* dx);

// `before` and `after` hold one step of all examples. Examples that ended before step t keep their
// state: their rows of `after` become those of `before`.
void KeepEnded(const SequenceShape& shape, int64_t t, const float* before, float* after);
// Sets the row of each example's last step in the order by step to its row of `last`, and all other
// rows to 0.
void GiveToLastStep(const SequenceShape& shape, const float* last, float* by_steps);

// Rows of a table [indices, n], selected by index.
struct TableShape {
  int64_t rows = 0, indices = 0, n = 0;
};
// Returns the number of the first row whose index is not an integer in [0, indices), or -1.
int64_t FirstWrongIndex(const TableShape& shape, const float* indices);
// Copies the rows of a range. REQUIRES, like the next function: FirstWrongIndex returned -1.
void TakeRows(const TableShape& shape, IndexRange range, const float* indices, const float* table,
              float* y);
// Adds dy to the table's gradient, for the columns of a range.
void AddRowsGradient(const TableShape& shape, IndexRange columns, const float* indices,
                     const float* dy, float* gradient);

}  // namespace dl::nn
