#include "nn/kernels/bf16_table.h"

#include <utility>

#include "nn/kernels/bf16.h"

namespace dl::nn {

Bf16Table::Bf16Table(const std::vector<float>& values, std::vector<float> slopes)
    : values_(kValues), slopes_(std::move(slopes)) {
  RoundToBf16(values.data(), values_.data(), kValues);
}

void Bf16Table::Apply(uint16_t* x, int64_t n) const {
  for (int64_t i = 0; i < n; ++i) x[i] = values_[x[i]];
}

void Bf16Table::Derive(const uint16_t* kept, uint16_t* dy, int64_t n) const {
  InFloat32(dy, n, [&](int64_t first, float* piece, int64_t size) {
    for (int64_t i = 0; i < size; ++i) piece[i] *= slopes_[kept[first + i]];
  });
}

}  // namespace dl::nn
