#include "tests/gradient/reference/reference_activation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "nn/conf/kinds.h"
#include "tests/gradient/reference/reference_logistic.h"

namespace dl::reference {
namespace {

using enum nn::ActivationKind;

constexpr double kSeluScale = 1.0507009873554805, kSeluAlpha = 1.6732632423543772;

double NormalCdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double Inner(double x) { return std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }
double Softplus(double x) { return std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0); }

double Apply(const nn::ActivationConf& conf, double x) {
  switch (conf.kind) {
    case kRelu:
      return x > 0 ? x : 0;
    case kLeakyRelu:
      return x > 0 ? x : conf.alpha * x;
    case kTanh:
      return std::tanh(x);
    case kSigmoid:
      return Logistic(x);
    case kGelu:
      return x * NormalCdf(x);
    case kGeluTanh:
      return x / 2 * (1 + std::tanh(Inner(x)));
    case kSilu:
      return x * Logistic(x);
    case kMish:
      return x * std::tanh(Softplus(x));
    case kElu:
      return x > 0 ? x : conf.alpha * std::expm1(x);
    case kSelu:
      return kSeluScale * (x > 0 ? x : kSeluAlpha * std::expm1(x));
    case kSoftplus:
      return Softplus(x);
    case kSoftsign:
      return x / (1 + std::abs(x));
    case kHardSigmoid:
      return std::clamp(x / 6 + 0.5, 0.0, 1.0);
    case kHardSwish:
      return x * std::clamp(x + 3, 0.0, 6.0) / 6;
    case kRelu6:
      return std::clamp(x, 0.0, 6.0);
    case kIdentity:
    case kSoftmax:  // over rows: SoftmaxOfRows
      return x;
  }
  return x;
}

double DerivativeAt(const nn::ActivationConf& conf, double x) {
  switch (conf.kind) {
    case kRelu:
      return x > 0 ? 1 : 0;
    case kLeakyRelu:
      return x > 0 ? 1 : conf.alpha;
    case kTanh:
      return 1 - std::tanh(x) * std::tanh(x);
    case kSigmoid:
      return Logistic(x) * (1 - Logistic(x));
    case kGelu:
      return NormalCdf(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    case kGeluTanh: {
      const double t = std::tanh(Inner(x));
      const double inner = std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
      return (1 + t) / 2 + x / 2 * (1 - t * t) * inner;
    }
    case kSilu:
      return Logistic(x) * (1 + x * (1 - Logistic(x)));
    case kMish: {
      const double t = std::tanh(Softplus(x));
      return t + x * (1 - t * t) * Logistic(x);
    }
    case kElu:
      return x > 0 ? 1 : conf.alpha * std::exp(x);
    case kSelu:
      return kSeluScale * (x > 0 ? 1 : kSeluAlpha * std::exp(x));
    case kSoftplus:
      return Logistic(x);
    case kSoftsign:
      return 1 / ((1 + std::abs(x)) * (1 + std::abs(x)));
    case kHardSigmoid:
      return x > -3 && x < 3 ? 1.0 / 6 : 0;
    case kHardSwish:
      return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5;
    case kRelu6:
      return x > 0 && x < 6 ? 1 : 0;
    case kIdentity:
    case kSoftmax:
      return 1;
  }
  return 1;
}

// Returns the points where the derivative is not continuous, or not differentiable.
std::vector<double> KinksOf(nn::ActivationKind kind) {
  switch (kind) {
    case kRelu:
    case kLeakyRelu:
    case kElu:
    case kSelu:
    case kSoftsign:
      return {0};
    case kRelu6:
      return {0, 6};
    case kHardSigmoid:
    case kHardSwish:
      return {-3, 3};
    default:
      return {};
  }
}

}  // namespace

Values SoftmaxOfRows(const Values& x, int64_t rows) {
  Values y(x.size());
  const int64_t width = static_cast<int64_t>(x.size()) / rows;
  for (int64_t r = 0; r < rows; ++r) {
    const auto row = x.begin() + r * width;
    const double largest = *std::max_element(row, row + width);
    double sum = 0;
    for (int64_t i = 0; i < width; ++i) sum += std::exp(row[i] - largest);
    for (int64_t i = 0; i < width; ++i) y[r * width + i] = std::exp(row[i] - largest) / sum;
  }
  return y;
}

Values Activation::Forward(const Values& x, const Pass& pass) {
  x_ = x;
  examples_ = pass.examples;
  if (conf_.kind == nn::ActivationKind::kSoftmax) return y_ = SoftmaxOfRows(x, examples_);
  y_ = x;
  for (double& value : y_) value = Apply(conf_, value);
  return y_;
}

double Activation::Derivative(size_t i) const { return DerivativeAt(conf_, x_[i]); }

Values Activation::Backward(const Values& dy) {
  Values dx(dy.size());
  if (conf_.kind != nn::ActivationKind::kSoftmax) {
    for (size_t i = 0; i < dy.size(); ++i) dx[i] = dy[i] * Derivative(i);
    return dx;
  }
  // The full Jacobian of a row: dy_j / dx_i = y_j ((i == j) - y_i).
  const int64_t width = static_cast<int64_t>(dy.size()) / examples_;
  for (int64_t start = 0; start < static_cast<int64_t>(dy.size()); start += width) {
    for (int64_t i = start; i < start + width; ++i) {
      for (int64_t j = start; j < start + width; ++j) {
        dx[i] += dy[j] * y_[j] * ((i == j ? 1.0 : 0.0) - y_[i]);
      }
    }
  }
  return dx;
}

double Activation::KinkDistance() const {
  double distance = std::numeric_limits<double>::infinity();
  for (const double kink : KinksOf(conf_.kind)) {
    for (const double x : x_) distance = std::min(distance, std::abs(x - kink));
  }
  return distance;
}

}  // namespace dl::reference
