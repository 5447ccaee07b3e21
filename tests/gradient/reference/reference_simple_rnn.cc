#include "tests/gradient/reference/reference_simple_rnn.h"

#include <algorithm>

namespace dl::reference {

Values SimpleRnn::Forward(const Values& x, const Pass& pass) {
  examples_ = pass.examples;
  const int64_t n = shape_.units;
  mask_ = shape_.dropout.Mask(pass, n);
  activations_.clear();
  states_.clear();
  Values& before = states_.emplace_back();
  for (int64_t e = 0; e < examples_; ++e) {
    const Values row = CarriedRow(state_, pass, e, n);
    before.insert(before.end(), row.begin(), row.end());
  }
  Values y(x.size());
  for (int64_t t = 0; t < shape_.steps; ++t) {
    Values sums(examples_ * n);
    for (int64_t e = 0; e < examples_; ++e) {
      for (int64_t u = 0; u < n; ++u) {
        double& sum = sums[e * n + u];
        sum = x[(e * shape_.steps + t) * n + u];
        for (int64_t v = 0; v < n; ++v)
          sum += weight_.value[u * n + v] * mask_[e * n + v] * states_[t][e * n + v];
      }
    }
    states_.push_back(activations_.emplace_back(shape_.activation).Forward(sums, pass));
    for (int64_t e = 0; e < examples_; ++e)
      std::copy_n(states_.back().begin() + e * n, n, y.begin() + (e * shape_.steps + t) * n);
  }
  return y;
}

void SimpleRnn::FinishStep() {
  if (!state_.value.empty())
    std::copy(states_.back().begin(), states_.back().end(), state_.value.begin());
}

Values SimpleRnn::Backward(const Values& dy) {
  const int64_t n = shape_.units;
  std::fill(weight_.gradient.begin(), weight_.gradient.end(), 0.0);
  Values dx(dy.size());
  Values given_back(examples_ * n, 0.0);  // from the following step
  for (int64_t t = shape_.steps; t-- > 0;) {
    Values by_state = given_back;
    for (int64_t e = 0; e < examples_; ++e) {
      for (int64_t u = 0; u < n; ++u) by_state[e * n + u] += dy[(e * shape_.steps + t) * n + u];
    }
    const Values by_sum = activations_[t].Backward(by_state);
    std::fill(given_back.begin(), given_back.end(), 0.0);
    for (int64_t e = 0; e < examples_; ++e) {
      for (int64_t u = 0; u < n; ++u) {
        const double d = by_sum[e * n + u];
        dx[(e * shape_.steps + t) * n + u] = d;
        for (int64_t v = 0; v < n; ++v) {
          weight_.gradient[u * n + v] += d * mask_[e * n + v] * states_[t][e * n + v];
          given_back[e * n + v] += d * mask_[e * n + v] * weight_.value[u * n + v];
        }
      }
    }
  }
  return dx;
}

double SimpleRnn::KinkDistance() const {
  double distance = std::numeric_limits<double>::infinity();
  for (const Activation& activation : activations_)
    distance = std::min(distance, activation.KinkDistance());
  return distance;
}

}  // namespace dl::reference
