#include "tests/gradient/reference/reference_product_loss.h"

#include <algorithm>
#include <cmath>

namespace dl::reference {

double Hinge::Of(Row z, const ExpectedRow& expected) const {
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i)
    sum += std::pow(std::max(0.0, 1 - expected.targets[i] * z[i]), power_);
  return sum / static_cast<double>(z.size());
}

Values Hinge::Gradient(Row z, const ExpectedRow& expected) const {
  Values gradient;
  for (size_t i = 0; i < z.size(); ++i) {
    const double t = expected.targets[i], e = 1 - t * z[i];
    const double slope = e <= 0 ? 0 : power_ == 1 ? -t : -2 * t * e;
    gradient.push_back(slope / static_cast<double>(z.size()));
  }
  return gradient;
}

double Hinge::KinkDistance(Row z, const ExpectedRow& expected) const {
  double distance = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < z.size(); ++i)
    distance = std::min(distance, std::abs(1 - expected.targets[i] * z[i]));
  return distance;
}

double Poisson::Of(Row z, const ExpectedRow& expected) const {
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) sum += std::exp(z[i]) - expected.targets[i] * z[i];
  return sum / static_cast<double>(z.size());
}

Values Poisson::Gradient(Row z, const ExpectedRow& expected) const {
  Values gradient;
  for (size_t i = 0; i < z.size(); ++i)
    gradient.push_back((std::exp(z[i]) - expected.targets[i]) / static_cast<double>(z.size()));
  return gradient;
}

Values Poisson::Prediction(Row z) const {
  Values rates;
  for (const double value : z) rates.push_back(std::exp(value));
  return rates;
}

namespace {

struct Lengths {
  double product = 0, of_z = 0, of_t = 0;
};
Lengths LengthsOf(RowLoss::Row z, std::span<const float> t) {
  Lengths lengths;
  for (size_t i = 0; i < z.size(); ++i) {
    lengths.product += z[i] * t[i];
    lengths.of_z = std::hypot(lengths.of_z, z[i]);
    lengths.of_t = std::hypot(lengths.of_t, t[i]);
  }
  return lengths;
}

}  // namespace

double Cosine::Of(Row z, const ExpectedRow& expected) const {
  const Lengths of = LengthsOf(z, expected.targets);
  return of.of_z == 0 || of.of_t == 0 ? 1 : 1 - of.product / (of.of_z * of.of_t);
}

Values Cosine::Gradient(Row z, const ExpectedRow& expected) const {
  const Lengths of = LengthsOf(z, expected.targets);
  Values gradient(z.size());
  if (of.of_z == 0 || of.of_t == 0) return gradient;
  for (size_t i = 0; i < z.size(); ++i) {
    gradient[i] = of.product * z[i] / (std::pow(of.of_z, 3) * of.of_t) -
                  expected.targets[i] / (of.of_z * of.of_t);
  }
  return gradient;
}

}  // namespace dl::reference
