#include "tests/gradient/reference/reference_recurrence.h"

#include <algorithm>
#include <cmath>

#include "tests/gradient/reference/reference_logistic.h"

namespace dl::reference {

Values Recurrence::Forward(const Values& x, const Pass& pass) {
  examples_ = pass.examples;
  cells_.clear();
  Values y;
  const int64_t n = shape_.units;
  mask_ = shape_.dropout.Mask(pass, n);
  for (int64_t e = 0; e < examples_; ++e) {
    Values h = CarriedRow(state_, pass, e, n), c = CarriedRow(cell_, pass, e, n);
    for (int64_t t = 0; t < shape_.steps; ++t) {
      Values before = h;
      for (int64_t u = 0; u < n; ++u) before[u] *= mask_[e * n + u];
      for (int64_t u = 0; u < n; ++u) {
        const auto gate = [&](int64_t k) {
          double sum = x[((e * shape_.steps + t) * 4 + k) * n + u];
          for (int64_t v = 0; v < n; ++v) sum += weight_.value[(k * n + u) * n + v] * before[v];
          return sum;
        };
        Cell cell{.i = Logistic(gate(0)),
                  .f = Logistic(gate(1) + shape_.forget_bias),
                  .g = std::tanh(gate(2)),
                  .o = Logistic(gate(3)),
                  .before = c[u],
                  .h_before = before[u]};
        cell.c = c[u] = cell.f * cell.before + cell.i * cell.g;
        cell.h = h[u] = cell.o * std::tanh(cell.c);
        cells_.push_back(cell);
      }
      y.insert(y.end(), h.begin(), h.end());
    }
  }
  return y;
}

Values Recurrence::Backward(const Values& dy) {
  std::fill(weight_.gradient.begin(), weight_.gradient.end(), 0.0);
  Values dx(4 * dy.size());
  for (int64_t e = 0; e < examples_; ++e) BackwardOf(e, dy, dx);
  return dx;
}

void Recurrence::BackwardOf(int64_t e, const Values& dy, Values& dx) {
  const int64_t n = shape_.units;
  Values dh(n, 0.0), dc(n, 0.0);  // gradients from the following step
  for (int64_t t = shape_.steps; t-- > 0;) {
    Values next_dh(n, 0.0);
    for (int64_t u = 0; u < n; ++u) {
      const Cell& cell = At(e, t, u);
      const double squashed = std::tanh(cell.c);
      const double by_h = dy[(e * shape_.steps + t) * n + u] + dh[u];
      const double by_c = dc[u] + by_h * cell.o * (1 - squashed * squashed);
      const double by_gate[] = {
          by_c * cell.g * cell.i * (1 - cell.i), by_c * cell.before * cell.f * (1 - cell.f),
          by_c * cell.i * (1 - cell.g * cell.g), by_h * squashed * cell.o * (1 - cell.o)};
      dc[u] = by_c * cell.f;
      for (int64_t k = 0; k < 4; ++k) {
        dx[((e * shape_.steps + t) * 4 + k) * n + u] = by_gate[k];
        for (int64_t v = 0; v < n; ++v) {
          weight_.gradient[(k * n + u) * n + v] += by_gate[k] * At(e, t, v).h_before;
          next_dh[v] += by_gate[k] * weight_.value[(k * n + u) * n + v] * mask_[e * n + v];
        }
      }
    }
    dh = next_dh;
  }
}

void Recurrence::FinishStep() {
  if (state_.value.empty()) return;
  for (int64_t e = 0; e < examples_; ++e) {
    for (int64_t u = 0; u < shape_.units; ++u) {
      const Cell& last = At(e, shape_.steps - 1, u);
      state_.value[e * shape_.units + u] = last.h;
      cell_.value[e * shape_.units + u] = last.c;
    }
  }
}

Values Reversal::Reversed(const Values& x) const {
  const auto row = static_cast<int64_t>(x.size()) / examples_ / steps_;
  Values y;
  for (int64_t e = 0; e < examples_; ++e) {
    for (int64_t t = steps_; t-- > 0;) {
      const auto begin = x.begin() + (e * steps_ + t) * row;
      y.insert(y.end(), begin, begin + row);
    }
  }
  return y;
}

Values Reversal::Forward(const Values& x, const Pass& pass) {
  examples_ = pass.examples;
  return Reversed(x);
}

Values LastStep::Forward(const Values& x, const Pass& pass) {
  examples_ = pass.examples;
  const auto row = static_cast<int64_t>(x.size()) / examples_ / steps_;
  Values y;
  for (int64_t e = 1; e <= examples_; ++e) {
    const auto end = x.begin() + e * steps_ * row;
    y.insert(y.end(), end - row, end);
  }
  return y;
}

Values LastStep::Backward(const Values& dy) {
  const auto row = static_cast<int64_t>(dy.size()) / examples_;
  Values dx(dy.size() * steps_, 0.0);
  for (int64_t e = 0; e < examples_; ++e)
    std::copy_n(dy.begin() + e * row, row, dx.begin() + ((e + 1) * steps_ - 1) * row);
  return dx;
}

}  // namespace dl::reference
