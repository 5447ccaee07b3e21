#include "tests/gradient/reference/reference_joins.h"

#include <algorithm>
#include <limits>

namespace dl::reference {

Values Sum::Forward(const std::vector<const Values*>& x, const Pass&) {
  inputs_ = x.size();
  Values y(x.front()->size(), 0.0);
  for (const Values* values : x) {
    for (size_t i = 0; i < y.size(); ++i) y[i] += (*values)[i];
  }
  return y;
}

std::vector<Values> Sum::Backward(const Values& dy) { return std::vector<Values>(inputs_, dy); }

Values Mean::Forward(const std::vector<const Values*>& x, const Pass&) {
  inputs_ = x.size();
  Values y(x.front()->size(), 0.0);
  for (const Values* values : x) {
    for (size_t i = 0; i < y.size(); ++i) y[i] += (*values)[i] / static_cast<double>(inputs_);
  }
  return y;
}

std::vector<Values> Mean::Backward(const Values& dy) {
  Values dx = dy;
  for (double& value : dx) value /= static_cast<double>(inputs_);
  return std::vector<Values>(inputs_, dx);
}

Values Product::Forward(const std::vector<const Values*>& x, const Pass&) {
  inputs_.clear();
  Values y(x.front()->size(), 1.0);
  for (const Values* values : x) {
    inputs_.push_back(*values);
    for (size_t i = 0; i < y.size(); ++i) y[i] *= (*values)[i];
  }
  return y;
}

std::vector<Values> Product::Backward(const Values& dy) {
  std::vector<Values> dx(inputs_.size(), dy);
  for (size_t k = 0; k < dx.size(); ++k) {
    for (size_t other = 0; other < inputs_.size(); ++other) {
      for (size_t i = 0; other != k && i < dy.size(); ++i) dx[k][i] *= inputs_[other][i];
    }
  }
  return dx;
}

Values Maximum::Forward(const std::vector<const Values*>& x, const Pass&) {
  inputs_ = x.size();
  const size_t n = x.front()->size();
  Values y(n);
  of_.assign(n, 0);
  kink_distance_ = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 1; k < x.size(); ++k) {
      if ((*x[k])[i] > (*x[of_[i]])[i]) of_[i] = k;
    }
    y[i] = (*x[of_[i]])[i];
    // An input that is read twice is skipped, because both copies move together.
    for (const Values* values : x) {
      if (values != x[of_[i]]) kink_distance_ = std::min(kink_distance_, y[i] - (*values)[i]);
    }
  }
  return y;
}

std::vector<Values> Maximum::Backward(const Values& dy) {
  std::vector<Values> dx(inputs_, Values(dy.size(), 0.0));
  for (size_t i = 0; i < dy.size(); ++i) dx[of_[i]][i] = dy[i];
  return dx;
}

Values Concatenation::Forward(const std::vector<const Values*>& x, const Pass& pass) {
  examples_ = pass.examples;
  rows_.clear();
  for (const Values* values : x) rows_.push_back(values->size() / examples_);
  Values y;
  for (int64_t n = 0; n < examples_; ++n) {
    for (size_t i = 0; i < x.size(); ++i) {
      for (size_t j = 0; j < rows_[i]; ++j) y.push_back((*x[i])[n * rows_[i] + j]);
    }
  }
  return y;
}

std::vector<Values> Concatenation::Backward(const Values& dy) {
  std::vector<Values> dx(rows_.size());
  size_t next = 0;
  for (int64_t n = 0; n < examples_; ++n) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (size_t j = 0; j < rows_[i]; ++j) dx[i].push_back(dy[next++]);
    }
  }
  return dx;
}

}  // namespace dl::reference
