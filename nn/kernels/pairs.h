// Two arrays, value by value.
#pragma once

#include <cstdint>

namespace dl::nn {

void MeanOf(const float* a, const float* b, float* y, int64_t n);
void ProductOf(const float* a, const float* b, float* y, int64_t n);
void HalfOf(const float* x, float* y, int64_t n);

}  // namespace dl::nn
