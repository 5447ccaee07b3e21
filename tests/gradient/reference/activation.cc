#include "tests/gradient/reference/activation.h"

#include <algorithm>
#include <cmath>

#include "nn/conf/kinds.h"

namespace dl::reference {
namespace {

double Apply(const nn::ActivationConf& conf, double x) {
  switch (conf.kind) {
    case nn::ActivationKind::kRelu:
      return x > 0 ? x : 0;
    case nn::ActivationKind::kLeakyRelu:
      return x > 0 ? x : conf.alpha * x;
    case nn::ActivationKind::kTanh:
      return std::tanh(x);
    case nn::ActivationKind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case nn::ActivationKind::kIdentity:
    case nn::ActivationKind::kSoftmax:  // over rows: SoftmaxOfRows
      return x;
  }
  return x;
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

double Activation::Derivative(size_t i) const {
  switch (conf_.kind) {
    case nn::ActivationKind::kRelu:
      return x_[i] > 0 ? 1 : 0;
    case nn::ActivationKind::kLeakyRelu:
      return x_[i] > 0 ? 1 : conf_.alpha;
    case nn::ActivationKind::kTanh:
      return 1 - y_[i] * y_[i];
    case nn::ActivationKind::kSigmoid:
      return y_[i] * (1 - y_[i]);
    case nn::ActivationKind::kIdentity:
    case nn::ActivationKind::kSoftmax:
      return 1;
  }
  return 1;
}

Values Activation::Backward(const Values& dy) {
  Values dx(dy.size());
  if (conf_.kind != nn::ActivationKind::kSoftmax) {
    for (size_t i = 0; i < dy.size(); ++i) dx[i] = dy[i] * Derivative(i);
    return dx;
  }
  // The Jacobian of a row, in full: dy_j / dx_i = y_j ((i == j) - y_i).
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
  const bool rectifies =
      conf_.kind == nn::ActivationKind::kRelu || conf_.kind == nn::ActivationKind::kLeakyRelu;
  for (size_t i = 0; i < x_.size() && rectifies; ++i) {
    distance = std::min(distance, std::abs(x_[i]));
  }
  return distance;
}

}  // namespace dl::reference
