#include "tests/gradient/reference/reference_gru.h"

#include <algorithm>
#include <cmath>

#include "tests/gradient/reference/reference_logistic.h"

namespace dl::reference {
namespace {

Values Times(const Values& a, const Values& b) {
  Values product = a;
  for (size_t i = 0; i < a.size(); ++i) product[i] *= b[i];
  return product;
}

}  // namespace

double Gru::Product(int64_t third, int64_t u, const Values& state) const {
  const int64_t units = shape_.units;
  double sum = 0;
  for (int64_t v = 0; v < units; ++v)
    sum += weight_.value[(third * units + u) * units + v] * state[v];
  return sum;
}

void Gru::ProductBackward(int64_t third, int64_t u, double d, const Values& state,
                          Values& by_state) {
  const int64_t units = shape_.units;
  for (int64_t v = 0; v < units; ++v) {
    const int64_t i = (third * units + u) * units + v;
    weight_.gradient[i] += d * state[v];
    by_state[v] += d * weight_.value[i];
  }
}

Values Gru::Forward(const Values& x, const Pass& pass) {
  examples_ = pass.examples;
  cells_.clear();
  last_.clear();
  Values y;
  const int64_t units = shape_.units;
  const Values masks = shape_.dropout.Mask(pass, units);
  for (int64_t e = 0; e < examples_; ++e) {
    const Values mask(masks.begin() + e * units, masks.begin() + (e + 1) * units);
    Values h = CarriedRow(state_, pass, e, units);
    for (int64_t t = 0; t < shape_.steps; ++t) {
      const double* const given = x.data() + (e * shape_.steps + t) * 3 * units;
      Cell cell{.r = h, .z = h, .n = h, .before = h, .mask = mask, .product = h};
      const Values masked = Times(mask, h);
      for (int64_t u = 0; u < units; ++u) {
        cell.r[u] = Logistic(given[u] + Product(0, u, masked));
        cell.z[u] = Logistic(given[units + u] + Product(1, u, masked));
      }
      const Values reset = Times(cell.r, masked);
      for (int64_t u = 0; u < units; ++u) {
        if (shape_.reset == Reset::kAfter) {
          cell.product[u] = Product(2, u, masked) + bias_.value[u];
          cell.n[u] = std::tanh(given[2 * units + u] + cell.r[u] * cell.product[u]);
        } else {
          cell.n[u] = std::tanh(given[2 * units + u] + Product(2, u, reset));
        }
      }
      for (int64_t u = 0; u < units; ++u)
        h[u] = (1 - cell.z[u]) * cell.n[u] + cell.z[u] * cell.before[u];
      y.insert(y.end(), h.begin(), h.end());
      cells_.push_back(std::move(cell));
    }
    last_.insert(last_.end(), h.begin(), h.end());
  }
  return y;
}

void Gru::FinishStep() {
  if (!state_.value.empty()) std::copy(last_.begin(), last_.end(), state_.value.begin());
}

Values Gru::Backward(const Values& dy) {
  std::fill(weight_.gradient.begin(), weight_.gradient.end(), 0.0);
  std::fill(bias_.gradient.begin(), bias_.gradient.end(), 0.0);
  const int64_t units = shape_.units;
  Values dx(3 * dy.size());
  for (int64_t e = 0; e < examples_; ++e) {
    Values given_back(units, 0.0);
    for (int64_t t = shape_.steps; t-- > 0;) {
      const int64_t row = e * shape_.steps + t;
      for (int64_t u = 0; u < units; ++u) given_back[u] += dy[row * units + u];
      given_back = BackwardOf(cells_[row], given_back, dx.data() + row * 3 * units);
    }
  }
  return dx;
}

// Returns the gradient by the previous state.
Values Gru::BackwardOf(const Cell& cell, const Values& by_state, double* dx) {
  const int64_t units = shape_.units;
  Values by_masked(units, 0.0), by_reset(units, 0.0), by_reset_state(units, 0.0);
  const Values masked = Times(cell.mask, cell.before), reset_state = Times(cell.r, masked);
  for (int64_t u = 0; u < units; ++u) {
    const double by_n = by_state[u] * (1 - cell.z[u]) * (1 - cell.n[u] * cell.n[u]);
    dx[2 * units + u] = by_n;
    if (shape_.reset == Reset::kAfter) {
      by_reset[u] = by_n * cell.product[u];
      bias_.gradient[u] += by_n * cell.r[u];
      ProductBackward(2, u, by_n * cell.r[u], masked, by_masked);
    } else {
      ProductBackward(2, u, by_n, reset_state, by_reset_state);
    }
  }
  for (int64_t u = 0; u < units; ++u) {
    if (shape_.reset == Reset::kBefore) {
      by_reset[u] = by_reset_state[u] * masked[u];
      by_masked[u] += by_reset_state[u] * cell.r[u];
    }
    const double by_z = by_state[u] * (cell.before[u] - cell.n[u]);
    dx[u] = by_reset[u] * cell.r[u] * (1 - cell.r[u]);
    dx[units + u] = by_z * cell.z[u] * (1 - cell.z[u]);
    ProductBackward(0, u, dx[u], masked, by_masked);
    ProductBackward(1, u, dx[units + u], masked, by_masked);
  }
  Values by_before = Times(by_masked, cell.mask);
  for (int64_t u = 0; u < units; ++u) by_before[u] += by_state[u] * cell.z[u];
  return by_before;
}

}  // namespace dl::reference
