// Sequences as plain rows: by examples [examples, steps, n], as layers hand them on, and by steps
// [steps, examples, n], as recurrent ones compute them. Each value by itself; what is added up is
// added in ascending order of examples and steps.
#pragma once

#include <cstdint>

namespace dl::nn {

// Which step comes first where rows lie by steps: an example's first or its last.
enum class StepOrder : uint8_t { kForward, kBackward };

struct SequenceShape {
  int64_t examples = 0, steps = 0, n = 0;
  StepOrder order = StepOrder::kForward;
  // Steps of each example, from 1 on, where they differ; the rows behind them are padding, which
  // stays behind them in both orders.
  const int32_t* lengths = nullptr;

  int64_t StepsOf(int64_t example) const { return lengths == nullptr ? steps : lengths[example]; }
};
void ByStepsFromExamples(const SequenceShape& shape, const float* by_examples, float* by_steps);
void ByExamplesFromSteps(const SequenceShape& shape, const float* by_steps, float* by_examples);

// Each example plus the same rows [steps, n], in place; and the rows' gradient, the sum over the
// examples.
void AddToEachExample(const SequenceShape& shape, const float* rows, float* x);
void SumOverExamples(const SequenceShape& shape, const float* dy, float* gradient);

// The last step of each example, before its padding; and the gradient of all steps, of that.
void TakeLastStep(const SequenceShape& shape, const float* x, float* y);
void TakeLastStepGradient(const SequenceShape& shape, const float* dy, float* dx);

// Of each example the mean of its steps, and each feature's largest value; padding is not looked
// at.
void MeanOverSteps(const SequenceShape& shape, const float* x, float* y);
void MeanOverStepsGradient(const SequenceShape& shape, const float* dy, float* dx);
void LargestOfSteps(const SequenceShape& shape, const float* x, float* y);
// To the earliest of equal ones.
void LargestOfStepsGradient(const SequenceShape& shape, const float* x, const float* dy, float* dx);

// Each row [n] as all steps of its example; and the rows' gradient, the sum over the steps.
void RepeatRows(const SequenceShape& shape, const float* x, float* y);
void SumOverSteps(const SequenceShape& shape, const float* dy, float* dx);

// What lies by steps, of one step each. The examples that ended before step t keep what they had
// there: `after` takes their rows of `before`.
void KeepEnded(const SequenceShape& shape, int64_t t, const float* before, float* after);
// Sets the row of each example's last step to its row of `last`, and all others to 0.
void GiveToLastStep(const SequenceShape& shape, const float* last, float* by_steps);

// Rows of a table [indices, n] by their index.
struct TableShape {
  int64_t rows = 0, indices = 0, n = 0;
};
// The first row whose index is no whole number in [0, indices), or -1: then all of y was written.
int64_t TakeRows(const TableShape& shape, const float* indices, const float* table, float* y);
// Adds to the table's gradient. REQUIRES: indices that TakeRows took.
void AddRowsGradient(const TableShape& shape, const float* indices, const float* dy,
                     float* gradient);

}  // namespace dl::nn
