#include "nn/touched_rows.h"

#include <algorithm>

namespace dl::nn {

TouchedRows::TouchedRows(int64_t rows, int64_t columns) : columns_(columns), marks_(rows) {
  rows_.reserve(rows);
}

void TouchedRows::Clear(float* gradient) {
  if (all_) std::fill_n(gradient, static_cast<int64_t>(marks_.size()) * columns_, 0.0f);
  for (const int32_t row : rows_) {
    marks_[row] = 0;
    if (!all_) std::fill_n(gradient + row * columns_, columns_, 0.0f);
  }
  rows_.clear();
  all_ = false;
}

}  // namespace dl::nn
