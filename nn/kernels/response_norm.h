// Local response normalization of plain images [examples, channels, area]; the formula is in
// nn/conf/layers/local_response_norm.h. Each pixel by itself; what is added up is added in
// ascending order of channels. The same bits under every instruction set.
#pragma once

#include <cstdint>

namespace dl::nn {

struct ResponseNorm {
  int64_t examples = 0, channels = 0, area = 0;
  int64_t size = 1;  // odd
  float alpha = 0, beta = 0, k = 1;
};

// y, and what each value's power is taken of, [examples, channels, area], for the gradient.
void ResponseNormForward(const ResponseNorm& norm, const float* x, float* base, float* y);

// How many floats of scratch the gradient needs.
int64_t ResponseNormScratch(const ResponseNorm& norm);
// With p = base ^ -beta: dx[c] = dy[c] p[c] - 2 alpha beta x[c] * sum of dy[j] x[j] p[j] / base[j]
// over the channels j that have c in their sum. dx is not dy.
void ResponseNormBackward(const ResponseNorm& norm, const float* x, const float* base,
                          const float* dy, float* dx, float* scratch);

}  // namespace dl::nn
