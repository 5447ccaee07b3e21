#include "tests/gradient/reference/reference_layer_norm.h"

#include <algorithm>
#include <cmath>

namespace dl::reference {

Values LayerNorm::Forward(const Values& x, const Pass&) {
  const size_t n = gamma_.value.size();
  normalized_.assign(x.size(), 0.0);
  deviations_.clear();
  Values y(x.size());
  for (size_t begin = 0; begin < x.size(); begin += n) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < n; ++i) mean += x[begin + i] / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i)
      variance += std::pow(x[begin + i] - mean, 2) / static_cast<double>(n);
    deviations_.push_back(std::sqrt(variance + epsilon_));
    for (size_t i = 0; i < n; ++i) {
      normalized_[begin + i] = (x[begin + i] - mean) / deviations_.back();
      y[begin + i] = gamma_.value[i] * normalized_[begin + i] + beta_.value[i];
    }
  }
  return y;
}

// Chain rule through mean and variance, written out for each pair of values of a row.
Values LayerNorm::Backward(const Values& dy) {
  const size_t n = gamma_.value.size();
  std::fill(gamma_.gradient.begin(), gamma_.gradient.end(), 0.0);
  std::fill(beta_.gradient.begin(), beta_.gradient.end(), 0.0);
  Values dx(dy.size(), 0.0);
  for (size_t row = 0; row < deviations_.size(); ++row) {
    const double* const d = dy.data() + row * n;
    const double* const z = normalized_.data() + row * n;
    for (size_t i = 0; i < n; ++i) {
      gamma_.gradient[i] += d[i] * z[i];
      beta_.gradient[i] += d[i];
      for (size_t j = 0; j < n; ++j) {
        const double same = i == j ? 1 : 0;
        dx[row * n + i] += d[j] * gamma_.value[j] / deviations_[row] *
                           (same - (1 + z[i] * z[j]) / static_cast<double>(n));
      }
    }
  }
  return dx;
}

Values RmsNorm::Forward(const Values& x, const Pass&) {
  const size_t n = gamma_.value.size();
  x_ = x;
  roots_.clear();
  Values y(x.size());
  for (size_t begin = 0; begin < x.size(); begin += n) {
    double mean = 0;
    for (size_t i = 0; i < n; ++i) mean += x[begin + i] * x[begin + i] / static_cast<double>(n);
    roots_.push_back(std::sqrt(mean + epsilon_));
    for (size_t i = 0; i < n; ++i) y[begin + i] = gamma_.value[i] * x[begin + i] / roots_.back();
  }
  return y;
}

// For each pair of values of a row: the derivative of the root by x is x / (n root).
Values RmsNorm::Backward(const Values& dy) {
  const size_t n = gamma_.value.size();
  std::fill(gamma_.gradient.begin(), gamma_.gradient.end(), 0.0);
  Values dx(dy.size(), 0.0);
  for (size_t row = 0; row < roots_.size(); ++row) {
    const double* const d = dy.data() + row * n;
    const double* const x = x_.data() + row * n;
    const double root = roots_[row];
    for (size_t i = 0; i < n; ++i) {
      gamma_.gradient[i] += d[i] * x[i] / root;
      for (size_t j = 0; j < n; ++j) {
        const double direct = i == j ? 1 / root : 0;
        const double by_root = -x[j] / (root * root) * x[i] / (static_cast<double>(n) * root);
        dx[row * n + i] += d[j] * gamma_.value[j] * (direct + by_root);
      }
    }
  }
  return dx;
}

Values GroupNorm::Forward(const Values& x, const Pass&) {
  const size_t n = ValuesOfGroup();
  normalized_.assign(x.size(), 0.0);
  deviations_.clear();
  Values y(x.size());
  for (size_t begin = 0; begin < x.size(); begin += n) {
    double mean = 0, variance = 0;
    for (size_t i = begin; i < begin + n; ++i) mean += x[i] / static_cast<double>(n);
    for (size_t i = begin; i < begin + n; ++i)
      variance += std::pow(x[i] - mean, 2) / static_cast<double>(n);
    deviations_.push_back(std::sqrt(variance + epsilon_));
    for (size_t i = begin; i < begin + n; ++i) {
      normalized_[i] = (x[i] - mean) / deviations_.back();
      y[i] = gamma_.value[ChannelOf(i)] * normalized_[i] + beta_.value[ChannelOf(i)];
    }
  }
  return y;
}

// As in LayerNorm, but each value has the gamma of its channel.
Values GroupNorm::Backward(const Values& dy) {
  const size_t n = ValuesOfGroup();
  std::fill(gamma_.gradient.begin(), gamma_.gradient.end(), 0.0);
  std::fill(beta_.gradient.begin(), beta_.gradient.end(), 0.0);
  Values dx(dy.size(), 0.0);
  for (size_t i = 0; i < dy.size(); ++i) {
    const size_t group = i / n;
    gamma_.gradient[ChannelOf(i)] += dy[i] * normalized_[i];
    beta_.gradient[ChannelOf(i)] += dy[i];
    for (size_t j = group * n; j < (group + 1) * n; ++j) {
      const double same = i == j ? 1 : 0;
      dx[i] += dy[j] * gamma_.value[ChannelOf(j)] / deviations_[group] *
               (same - (1 + normalized_[i] * normalized_[j]) / static_cast<double>(n));
    }
  }
  return dx;
}

}  // namespace dl::reference
