// Operations on several arrays, value by value. The bits of a result therefore depend only on the
// operands at its index. Any layout is allowed, and padding of zeros stays zero, unless stated
// otherwise. A result may overwrite an operand.
#pragma once

#include <cstdint>

namespace dl::nn {

// y = a * b
void ProductOf(const float* a, const float* b, float* y, int64_t n);
// y = factor * (a + b)
void ScaledSumOf(const float* a, const float* b, float factor, float* y, int64_t n);
// y = factor * x + shift. Zeros do not stay zero, so only plain arrays are allowed.
void ScaledAndShifted(const float* x, float factor, float shift, float* y, int64_t n);
// y = factor * x
void ScaledBy(const float* x, float factor, float* y, int64_t n);

// If x[i] > y[i] or x[i] is NaN, y[i] becomes x[i] and of[i] becomes `number`. After calls for
// several arrays, of[i] is the number of the first array with the largest value, or of the last
// array with a NaN.
void MaximumWith(const float* x, int32_t number, float* y, int32_t* of, int64_t n);
// dx = dy if of is `number`, otherwise 0.
void GradientOfMaximum(const float* dy, const int32_t* of, int32_t number, float* dx, int64_t n);

}  // namespace dl::nn
