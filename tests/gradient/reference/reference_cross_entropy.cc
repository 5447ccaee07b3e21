#include "tests/gradient/reference/reference_cross_entropy.h"

#include <algorithm>
#include <cmath>

#include "tests/gradient/reference/reference_logistic.h"

namespace dl::reference {
namespace {

// Returns the log of the softmax, shifted to avoid overflow.
Values LogSoftmax(RowLoss::Row z) {
  const double largest = *std::max_element(z.begin(), z.end());
  double sum = 0;
  for (const double value : z) sum += std::exp(value - largest);
  Values logs;
  for (const double value : z) logs.push_back(value - largest - std::log(sum));
  return logs;
}

// Returns log(1 / (1 + exp(-z))).
double LogLogistic(double z) {
  return z < 0 ? z - std::log1p(std::exp(z)) : -std::log1p(std::exp(-z));
}

}  // namespace

Values SoftmaxCrossEntropy::Distribution(size_t classes, int32_t label) const {
  Values q(classes, smoothing_ / static_cast<double>(classes));
  q[label] += 1 - smoothing_;
  return q;
}

double SoftmaxCrossEntropy::Of(Row z, const ExpectedRow& expected) const {
  const Values q = Distribution(z.size(), expected.label), logs = LogSoftmax(z);
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) sum -= q[i] * logs[i];
  return sum;
}

Values SoftmaxCrossEntropy::Gradient(Row z, const ExpectedRow& expected) const {
  const Values q = Distribution(z.size(), expected.label);
  Values gradient = Prediction(z);
  for (size_t i = 0; i < z.size(); ++i) gradient[i] -= q[i];
  return gradient;
}

Values SoftmaxCrossEntropy::Prediction(Row z) const {
  Values probabilities = LogSoftmax(z);
  for (double& value : probabilities) value = std::exp(value);
  return probabilities;
}

double BinaryCrossEntropy::Of(Row z, const ExpectedRow& expected) const {
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    const double t = expected.targets[i];
    sum -= Positive(i) * t * LogLogistic(z[i]) + (1 - t) * LogLogistic(-z[i]);
  }
  return sum / static_cast<double>(z.size());
}

Values BinaryCrossEntropy::Gradient(Row z, const ExpectedRow& expected) const {
  Values gradient;
  for (size_t i = 0; i < z.size(); ++i) {
    const double t = expected.targets[i], p = Logistic(z[i]);
    gradient.push_back(((1 - t) * p - Positive(i) * t * (1 - p)) / static_cast<double>(z.size()));
  }
  return gradient;
}

Values BinaryCrossEntropy::Prediction(Row z) const {
  Values probabilities;
  for (const double value : z) probabilities.push_back(Logistic(value));
  return probabilities;
}

double KlDivergence::Of(Row z, const ExpectedRow& expected) const {
  const Values logs = LogSoftmax(z);
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    const double t = expected.targets[i];
    if (t > 0) sum += t * (std::log(t) - logs[i]);
  }
  return sum;
}

Values KlDivergence::Gradient(Row z, const ExpectedRow& expected) const {
  double total = 0;
  for (const float t : expected.targets) total += t;
  Values gradient = Prediction(z);
  for (size_t i = 0; i < z.size(); ++i) gradient[i] = total * gradient[i] - expected.targets[i];
  return gradient;
}

Values KlDivergence::Prediction(Row z) const {
  Values probabilities = LogSoftmax(z);
  for (double& value : probabilities) value = std::exp(value);
  return probabilities;
}

}  // namespace dl::reference
