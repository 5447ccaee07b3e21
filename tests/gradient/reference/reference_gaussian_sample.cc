#include "tests/gradient/reference/reference_gaussian_sample.h"

#include <cmath>

#include "base/philox.h"

namespace dl::reference {

Values GaussianSample::Forward(const Values& x, const Pass& pass) {
  rows_ = pass.examples;
  n_ = static_cast<int64_t>(x.size()) / rows_ / 2;
  x_ = x;
  noise_.assign(rows_ * n_, 0.0);
  RandomStream stream(
      {.seed = pass.seed,
       .purpose = RandomPurpose::kGaussianSample,
       .a = (layer_index_ << 32) + static_cast<uint64_t>(pass.epoch),
       .b = static_cast<uint64_t>(pass.round),
       .c = (static_cast<uint64_t>(pass.worker) << 32) + static_cast<uint64_t>(pass.step)});
  Values y(rows_ * n_);
  for (int64_t r = 0; r < rows_; ++r) {
    for (int64_t i = 0; i < n_; ++i) {
      const double mean = x[r * 2 * n_ + i], log_variance = x[r * 2 * n_ + n_ + i];
      double& e = noise_[r * n_ + i];
      if (pass.mode == Mode::kTraining) e = stream.NextNormal();
      y[r * n_ + i] = mean + std::exp(log_variance / 2) * e;
    }
  }
  return y;
}

Values GaussianSample::Backward(const Values& dy) {
  Values dx(x_.size());
  for (int64_t r = 0; r < rows_; ++r) {
    for (int64_t i = 0; i < n_; ++i) {
      const int64_t mean = r * 2 * n_ + i, log_variance = mean + n_;
      const double d = dy[r * n_ + i], deviation = std::exp(x_[log_variance] / 2);
      dx[mean] = d + kl_weight_ / rows_ * x_[mean];
      dx[log_variance] = d * noise_[r * n_ + i] * deviation / 2 +
                         kl_weight_ / rows_ * (deviation * deviation - 1) / 2;
    }
  }
  return dx;
}

double GaussianSample::Penalty() const {
  double sum = 0;
  for (int64_t r = 0; r < rows_; ++r) {
    for (int64_t i = 0; i < n_; ++i) {
      const double mean = x_[r * 2 * n_ + i], log_variance = x_[r * 2 * n_ + n_ + i];
      sum += (mean * mean + std::exp(log_variance) - 1 - log_variance) / 2;
    }
  }
  return kl_weight_ * sum / rows_;
}

}  // namespace dl::reference
