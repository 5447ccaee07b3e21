#include "tests/gradient/reference/joins.h"

namespace dl::reference {

Values Sum::Forward(const std::vector<const Values*>& x, int64_t) {
  inputs_ = x.size();
  Values y(x.front()->size(), 0.0);
  for (const Values* values : x) {
    for (size_t i = 0; i < y.size(); ++i) y[i] += (*values)[i];
  }
  return y;
}

std::vector<Values> Sum::Backward(const Values& dy) { return std::vector<Values>(inputs_, dy); }

Values Concatenation::Forward(const std::vector<const Values*>& x, int64_t examples) {
  examples_ = examples;
  rows_.clear();
  for (const Values* values : x) rows_.push_back(values->size() / examples);
  Values y;
  for (int64_t n = 0; n < examples; ++n) {
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
