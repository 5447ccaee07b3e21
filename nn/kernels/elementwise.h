// Several arrays, value by value. Each value by itself, so that bits depend on nothing else; any
// layout, whose padding of zeros stays zero. A result may be written over what it is made of.
#pragma once

#include <cstdint>

namespace dl::nn {

// y = a * b
void ProductOf(const float* a, const float* b, float* y, int64_t n);
// y = factor * (a + b)
void ScaledSumOf(const float* a, const float* b, float factor, float* y, int64_t n);
// y = factor * x + shift: of zeros it is none, so of plain arrays alone.
void ScaledAndShifted(const float* x, float factor, float shift, float* y, int64_t n);
// y = factor * x
void ScaledBy(const float* x, float factor, float* y, int64_t n);

// Where x[i] is larger than y[i], or no number, y[i] becomes x[i] and of[i] becomes `number`: of
// the arrays so far the first with the largest value, by its number.
void MaximumWith(const float* x, int32_t number, float* y, int32_t* of, int64_t n);
// dx = dy where of is `number`, else 0.
void GradientOfMaximum(const float* dy, const int32_t* of, int32_t number, float* dx, int64_t n);

}  // namespace dl::nn
