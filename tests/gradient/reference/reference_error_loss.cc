#include "tests/gradient/reference/reference_error_loss.h"

#include <algorithm>
#include <cmath>

namespace dl::reference {

double ErrorLoss::Of(Row z, const ExpectedRow& expected) const {
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) sum += OfError(z[i] - expected.targets[i]);
  return sum / static_cast<double>(z.size());
}

Values ErrorLoss::Gradient(Row z, const ExpectedRow& expected) const {
  Values gradient;
  for (size_t i = 0; i < z.size(); ++i)
    gradient.push_back(Derivative(z[i] - expected.targets[i]) / static_cast<double>(z.size()));
  return gradient;
}

double ErrorLoss::KinkDistance(Row z, const ExpectedRow& expected) const {
  double distance = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < z.size(); ++i)
    distance = std::min(distance, Distance(z[i] - expected.targets[i]));
  return distance;
}

double SquaredError::OfError(double error) const { return error * error; }
double SquaredError::Derivative(double error) const { return 2 * error; }

double AbsoluteError::OfError(double error) const { return std::abs(error); }
double AbsoluteError::Derivative(double error) const {
  return error == 0 ? 0 : std::copysign(1.0, error);
}
double AbsoluteError::Distance(double error) const { return std::abs(error); }

double Huber::OfError(double error) const {
  return std::abs(error) <= delta_ ? error * error / 2 : delta_ * (std::abs(error) - delta_ / 2);
}
double Huber::Derivative(double error) const {
  return std::abs(error) <= delta_ ? error : std::copysign(delta_, error);
}
double Huber::Distance(double error) const { return std::abs(std::abs(error) - delta_); }

}  // namespace dl::reference
