#include "tests/gradient/reference/reference_embeddings.h"

#include <algorithm>

namespace dl::reference {

Values Embedding::Forward(const Values& x, const Pass&) {
  x_ = x;
  Values y;
  for (const double index : x) {
    const auto row = table_.value.begin() + static_cast<int64_t>(index) * units_;
    y.insert(y.end(), row, row + units_);
  }
  return y;
}

Values Embedding::Backward(const Values& dy) {
  std::fill(table_.gradient.begin(), table_.gradient.end(), 0.0);
  for (size_t r = 0; r < x_.size(); ++r) {
    for (int64_t u = 0; u < units_; ++u)
      table_.gradient[static_cast<int64_t>(x_[r]) * units_ + u] += dy[r * units_ + u];
  }
  return Values(x_.size(), 0.0);
}

Values PositionalEmbedding::Forward(const Values& x, const Pass&) {
  Values y = x;
  for (size_t i = 0; i < y.size(); ++i) y[i] += rows_.value[i % rows_.value.size()];
  return y;
}

Values PositionalEmbedding::Backward(const Values& dy) {
  std::fill(rows_.gradient.begin(), rows_.gradient.end(), 0.0);
  for (size_t i = 0; i < dy.size(); ++i) rows_.gradient[i % rows_.value.size()] += dy[i];
  return dy;
}

}  // namespace dl::reference
