#include "tests/gradient/reference/reference_prelu.h"

#include <algorithm>
#include <cmath>

namespace dl::reference {

size_t PRelu::SlopeOf(size_t value) const {
  if (slope_.value.size() == 1) return 0;
  return value / shape_.area % shape_.channels;
}

Values PRelu::Forward(const Values& x, const Pass&) {
  x_ = x;
  Values y = x;
  for (size_t i = 0; i < y.size(); ++i) {
    if (x[i] <= 0) y[i] = slope_.value[SlopeOf(i)] * x[i];
  }
  return y;
}

Values PRelu::Backward(const Values& dy) {
  std::fill(slope_.gradient.begin(), slope_.gradient.end(), 0.0);
  Values dx = dy;
  for (size_t i = 0; i < dy.size(); ++i) {
    if (x_[i] > 0) continue;
    dx[i] = slope_.value[SlopeOf(i)] * dy[i];
    slope_.gradient[SlopeOf(i)] += x_[i] * dy[i];
  }
  return dx;
}

double PRelu::KinkDistance() const {
  double distance = std::numeric_limits<double>::infinity();
  for (const double x : x_) distance = std::min(distance, std::abs(x));
  return distance;
}

}  // namespace dl::reference
