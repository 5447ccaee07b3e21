#include "tests/gradient/reference/reference_response_norm.h"

#include <cmath>

namespace dl::reference {

std::vector<size_t> ResponseNorm::SummedFor(size_t i) const {
  const int64_t area = type_.height * type_.width;
  const int64_t channel = static_cast<int64_t>(i) / area % type_.channels;
  std::vector<size_t> all;
  for (int64_t c = 0; c < type_.channels; ++c) {
    if (2 * std::abs(c - channel) <= conf_.size - 1) all.push_back(i + (c - channel) * area);
  }
  return all;
}

Values ResponseNorm::Forward(const Values& x, const Pass&) {
  x_ = x;
  s_.assign(x.size(), conf_.k);
  Values y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    for (const size_t j : SummedFor(i)) s_[i] += conf_.alpha * x[j] * x[j];
    y[i] = x[i] * std::pow(s_[i], -conf_.beta);
  }
  return y;
}

Values ResponseNorm::Backward(const Values& dy) {
  Values dx(x_.size(), 0.0);
  for (size_t i = 0; i < dy.size(); ++i) {
    dx[i] += dy[i] * std::pow(s_[i], -conf_.beta);
    for (const size_t j : SummedFor(i)) {
      dx[j] -=
          dy[i] * x_[i] * conf_.beta * std::pow(s_[i], -conf_.beta - 1) * conf_.alpha * 2 * x_[j];
    }
  }
  return dx;
}

}  // namespace dl::reference
