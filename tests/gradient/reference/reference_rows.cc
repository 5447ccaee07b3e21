#include "tests/gradient/reference/reference_rows.h"

#include <algorithm>
#include <cmath>

namespace dl::reference {

Values Repeat::Forward(const Values& x, const Pass& pass) {
  row_ = static_cast<int64_t>(x.size()) / pass.examples;
  Values y;
  for (auto row = x.begin(); row != x.end(); row += row_) {
    for (int64_t t = 0; t < steps_; ++t) y.insert(y.end(), row, row + row_);
  }
  return y;
}

Values Repeat::Backward(const Values& dy) {
  Values dx(dy.size() / steps_, 0.0);
  const int64_t example = steps_ * row_;
  for (int64_t i = 0; i < static_cast<int64_t>(dy.size()); ++i)
    dx[i / example * row_ + i % row_] += dy[i];
  return dx;
}

Values Subset::Forward(const Values& x, const Pass&) {
  Values y;
  for (auto row = x.begin(); row != x.end(); row += range_.row)
    y.insert(y.end(), row + range_.begin, row + range_.end);
  return y;
}

Values Subset::Backward(const Values& dy) {
  Values dx;
  for (size_t next = 0; next < dy.size();) {
    for (int64_t i = 0; i < range_.row; ++i)
      dx.push_back(i >= range_.begin && i < range_.end ? dy[next++] : 0.0);
  }
  return dx;
}

int64_t Permute::From(int64_t i) const {
  // Computes the output's coordinates from the last axis on, and assigns them to the input's axes.
  std::vector<int64_t> at(extents_.size());
  for (size_t axis = order_.size(); axis-- > 0;) {
    const int64_t extent = extents_[order_[axis]];
    at[order_[axis]] = i % extent;
    i /= extent;
  }
  int64_t from = i;  // index of the example
  for (size_t axis = 0; axis < at.size(); ++axis) from = from * extents_[axis] + at[axis];
  return from;
}

Values Permute::Forward(const Values& x, const Pass&) {
  Values y(x.size());
  for (size_t i = 0; i < y.size(); ++i) y[i] = x[From(static_cast<int64_t>(i))];
  return y;
}

Values Permute::Backward(const Values& dy) {
  Values dx(dy.size(), 0.0);
  for (size_t i = 0; i < dy.size(); ++i) dx[From(static_cast<int64_t>(i))] = dy[i];
  return dx;
}

Values GlobalSteps::Forward(const Values& x, const Pass& pass) {
  Values y;
  largest_.clear();
  kink_distance_ = std::numeric_limits<double>::infinity();
  for (int64_t e = 0; e < pass.examples; ++e) {
    for (int64_t f = 0; f < features_; ++f) {
      const auto at = [&](int64_t t) { return x[(e * steps_ + t) * features_ + f]; };
      double sum = 0;
      int64_t best = 0;
      for (int64_t t = 0; t < steps_; ++t) {
        sum += at(t);
        if (at(t) > at(best)) best = t;
      }
      for (int64_t t = 0; t < steps_ && kind_ == Kind::kLargest; ++t) {
        if (t != best) kink_distance_ = std::min(kink_distance_, at(best) - at(t));
      }
      largest_.push_back(best);
      y.push_back(kind_ == Kind::kMean ? sum / static_cast<double>(steps_) : at(best));
    }
  }
  return y;
}

Values GlobalSteps::Backward(const Values& dy) {
  Values dx(dy.size() * steps_, 0.0);
  for (size_t i = 0; i < dy.size(); ++i) {
    const size_t example = i / features_, feature = i % features_;
    for (int64_t t = 0; t < steps_; ++t) {
      double& d = dx[(example * steps_ + t) * features_ + feature];
      if (kind_ == Kind::kMean) d = dy[i] / static_cast<double>(steps_);
      if (kind_ == Kind::kLargest && t == largest_[i]) d = dy[i];
    }
  }
  return dx;
}

Values ScaleShift::Forward(const Values& x, const Pass&) {
  Values y = x;
  for (double& value : y) value = factor_ * value + shift_;
  return y;
}

Values ScaleShift::Backward(const Values& dy) {
  Values dx = dy;
  for (double& value : dx) value *= factor_;
  return dx;
}

Values L2Normalize::Forward(const Values& x, const Pass&) {
  x_ = x;
  roots_.clear();
  Values y(x.size());
  for (size_t begin = 0; begin < x.size(); begin += n_) {
    double squares = 0;
    for (int64_t i = 0; i < n_; ++i) squares += x[begin + i] * x[begin + i];
    roots_.push_back(std::sqrt(squares + epsilon_));
    for (int64_t i = 0; i < n_; ++i) y[begin + i] = x[begin + i] / roots_.back();
  }
  return y;
}

// For each pair of values of a row: the derivative of the root by x is x / root.
Values L2Normalize::Backward(const Values& dy) {
  Values dx(dy.size(), 0.0);
  for (size_t row = 0; row < roots_.size(); ++row) {
    const double* const d = dy.data() + row * n_;
    const double* const x = x_.data() + row * n_;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        const double direct = i == j ? 1 / roots_[row] : 0;
        dx[row * n_ + i] += d[j] * (direct - x[j] * x[i] / std::pow(roots_[row], 3));
      }
    }
  }
  return dx;
}

}  // namespace dl::reference
