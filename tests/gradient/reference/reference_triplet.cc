#include "tests/gradient/reference/reference_triplet.h"

#include <algorithm>
#include <cmath>

namespace dl::reference {

double Triplet::Inner(Row z) const {
  const size_t k = z.size() / 3;
  double inner = margin_;
  for (size_t i = 0; i < k; ++i)
    inner += std::pow(z[i] - z[k + i], 2) - std::pow(z[i] - z[2 * k + i], 2);
  return inner;
}

double Triplet::Of(Row z, const ExpectedRow&) const { return std::max(0.0, Inner(z)); }

// Derivative of each square separately.
Values Triplet::Gradient(Row z, const ExpectedRow&) const {
  Values gradient(z.size());
  if (Inner(z) <= 0) return gradient;
  const size_t k = z.size() / 3;
  for (size_t i = 0; i < k; ++i) {
    const double to_positive = 2 * (z[i] - z[k + i]), to_negative = 2 * (z[i] - z[2 * k + i]);
    gradient[i] = to_positive - to_negative;
    gradient[k + i] = -to_positive;
    gradient[2 * k + i] = to_negative;
  }
  return gradient;
}

double Triplet::KinkDistance(Row z, const ExpectedRow&) const { return std::abs(Inner(z)); }

}  // namespace dl::reference
