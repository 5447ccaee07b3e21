#include "tests/gradient/reference/reference_dense.h"

#include <algorithm>

namespace dl::reference {

Values Dense::Forward(const Values& x, const Pass& pass) {
  x_ = x;
  examples_ = pass.examples;
  const int64_t inputs = static_cast<int64_t>(x.size()) / examples_;
  Values y(examples_ * units_);
  for (int64_t n = 0; n < examples_; ++n) {
    for (int64_t u = 0; u < units_; ++u) {
      double sum = bias_.value.empty() ? 0 : bias_.value[u];
      for (int64_t i = 0; i < inputs; ++i) sum += weight_.value[u * inputs + i] * x[n * inputs + i];
      y[n * units_ + u] = sum;
    }
  }
  return y;
}

Values Dense::Backward(const Values& dy) {
  const int64_t inputs = static_cast<int64_t>(x_.size()) / examples_;
  Values dx(x_.size(), 0.0);
  std::fill(weight_.gradient.begin(), weight_.gradient.end(), 0.0);
  std::fill(bias_.gradient.begin(), bias_.gradient.end(), 0.0);
  for (int64_t n = 0; n < examples_; ++n) {
    for (int64_t u = 0; u < units_; ++u) {
      const double d = dy[n * units_ + u];
      if (!bias_.gradient.empty()) bias_.gradient[u] += d;
      for (int64_t i = 0; i < inputs; ++i) {
        weight_.gradient[u * inputs + i] += d * x_[n * inputs + i];
        dx[n * inputs + i] += d * weight_.value[u * inputs + i];
      }
    }
  }
  return dx;
}

}  // namespace dl::reference
