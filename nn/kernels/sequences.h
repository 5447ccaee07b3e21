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
};
void ByStepsFromExamples(const SequenceShape& shape, const float* by_examples, float* by_steps);
void ByExamplesFromSteps(const SequenceShape& shape, const float* by_steps, float* by_examples);

// Each example plus the same rows [steps, n], in place; and the rows' gradient, the sum over the
// examples.
void AddToEachExample(const SequenceShape& shape, const float* rows, float* x);
void SumOverExamples(const SequenceShape& shape, const float* dy, float* gradient);

// The last step of each example; and the gradient of all steps, of that.
void TakeLastStep(const SequenceShape& shape, const float* x, float* y);
void TakeLastStepGradient(const SequenceShape& shape, const float* dy, float* dx);

// Each row [n] as all steps of its example; and the rows' gradient, the sum over the steps.
void RepeatRows(const SequenceShape& shape, const float* x, float* y);
void SumOverSteps(const SequenceShape& shape, const float* dy, float* dx);

// Rows of a table [indices, n] by their index.
struct TableShape {
  int64_t rows = 0, indices = 0, n = 0;
};
// The first row whose index is no whole number in [0, indices), or -1: then all of y was written.
int64_t TakeRows(const TableShape& shape, const float* indices, const float* table, float* y);
// REQUIRES: indices that TakeRows took.
void TakeRowsGradient(const TableShape& shape, const float* indices, const float* dy,
                      float* gradient);

}  // namespace dl::nn
