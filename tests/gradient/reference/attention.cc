#include "tests/gradient/reference/attention.h"

#include <cmath>

namespace dl::reference {

size_t Attention::At(int64_t example, int64_t step, int64_t head, int64_t i, int64_t third) const {
  const int64_t size = shape_.features / shape_.heads;
  return (example * shape_.steps + step) * 3 * shape_.features + third * shape_.features +
         head * size + i;
}

Values Attention::WeightsOf(int64_t example, int64_t head, int64_t step) const {
  const int64_t size = shape_.features / shape_.heads;
  Values weights;
  double sum = 0;
  for (int64_t s = 0; s < shape_.steps; ++s) {
    double score = 0;
    for (int64_t i = 0; i < size; ++i)
      score += x_[At(example, step, head, i, 0)] * x_[At(example, s, head, i, 1)];
    const bool seen = !shape_.causal || s <= step;
    weights.push_back(seen ? std::exp(score / std::sqrt(static_cast<double>(size))) : 0);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

Values Attention::Forward(const Values& x, const Pass& pass) {
  x_ = x;
  examples_ = pass.examples;
  const int64_t size = shape_.features / shape_.heads;
  Values y(x.size() / 3, 0.0);
  for (int64_t e = 0; e < examples_; ++e) {
    for (int64_t h = 0; h < shape_.heads; ++h) {
      for (int64_t t = 0; t < shape_.steps; ++t) {
        const Values weights = WeightsOf(e, h, t);
        for (int64_t s = 0; s < shape_.steps; ++s) {
          for (int64_t i = 0; i < size; ++i)
            y[(e * shape_.steps + t) * shape_.features + h * size + i] +=
                weights[s] * x_[At(e, s, h, i, 2)];
        }
      }
    }
  }
  return y;
}

Values Attention::Backward(const Values& dy) {
  const int64_t size = shape_.features / shape_.heads;
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  Values dx(x_.size(), 0.0);
  for (int64_t e = 0; e < examples_; ++e) {
    for (int64_t h = 0; h < shape_.heads; ++h) {
      for (int64_t t = 0; t < shape_.steps; ++t) {
        const double* const d = dy.data() + (e * shape_.steps + t) * shape_.features + h * size;
        const Values weights = WeightsOf(e, h, t);
        Values by_weight(shape_.steps, 0.0);
        double mean = 0;
        for (int64_t s = 0; s < shape_.steps; ++s) {
          for (int64_t i = 0; i < size; ++i) {
            dx[At(e, s, h, i, 2)] += weights[s] * d[i];
            by_weight[s] += d[i] * x_[At(e, s, h, i, 2)];
          }
          mean += weights[s] * by_weight[s];
        }
        for (int64_t s = 0; s < shape_.steps; ++s) {
          const double by_score = weights[s] * (by_weight[s] - mean) * scale;
          for (int64_t i = 0; i < size; ++i) {
            dx[At(e, t, h, i, 0)] += by_score * x_[At(e, s, h, i, 1)];
            dx[At(e, s, h, i, 1)] += by_score * x_[At(e, t, h, i, 0)];
          }
        }
      }
    }
  }
  return dx;
}

}  // namespace dl::reference
