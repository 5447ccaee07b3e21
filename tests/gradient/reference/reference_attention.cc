#include "tests/gradient/reference/reference_attention.h"

#include <cmath>

namespace dl::reference {

size_t CrossAttention::AtQuery(int64_t example, int64_t step, int64_t head, int64_t i) const {
  return (example * shape_.query_steps + step) * shape_.features + head * size() + i;
}
size_t CrossAttention::AtKey(int64_t example, int64_t step, int64_t head, int64_t i,
                             int64_t half) const {
  return ((example * shape_.key_steps + step) * 2 + half) * shape_.features + head * size() + i;
}

Values CrossAttention::WeightsOf(int64_t example, int64_t head, int64_t step) const {
  Values weights;
  double sum = 0;
  for (int64_t s = 0; s < shape_.key_steps; ++s) {
    double score = 0;
    for (int64_t i = 0; i < size(); ++i)
      score += queries_[AtQuery(example, step, head, i)] * keys_[AtKey(example, s, head, i, 0)];
    const bool seen = !shape_.causal || s <= step;
    weights.push_back(seen ? std::exp(score / std::sqrt(static_cast<double>(size()))) : 0);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

double CrossAttention::FactorOf(int64_t example, int64_t head, int64_t step, int64_t seen) const {
  return mask_[((example * shape_.heads + head) * shape_.query_steps + step) * shape_.key_steps +
               seen];
}

Values CrossAttention::Forward(const std::vector<const Values*>& x, const Pass& pass) {
  queries_ = *x[0];
  keys_ = *x[1];
  examples_ = pass.examples;
  mask_ = shape_.dropout.Mask(pass, shape_.heads * shape_.query_steps * shape_.key_steps);
  Values y(queries_.size(), 0.0);
  for (int64_t e = 0; e < examples_; ++e) {
    for (int64_t h = 0; h < shape_.heads; ++h) {
      for (int64_t t = 0; t < shape_.query_steps; ++t) {
        const Values weights = WeightsOf(e, h, t);
        for (int64_t s = 0; s < shape_.key_steps; ++s) {
          for (int64_t i = 0; i < size(); ++i)
            y[AtQuery(e, t, h, i)] +=
                FactorOf(e, h, t, s) * weights[s] * keys_[AtKey(e, s, h, i, 1)];
        }
      }
    }
  }
  return y;
}

std::vector<Values> CrossAttention::Backward(const Values& dy) {
  const double scale = 1 / std::sqrt(static_cast<double>(size()));
  Values by_queries(queries_.size(), 0.0), by_keys(keys_.size(), 0.0);
  for (int64_t e = 0; e < examples_; ++e) {
    for (int64_t h = 0; h < shape_.heads; ++h) {
      for (int64_t t = 0; t < shape_.query_steps; ++t) {
        const double* const d = dy.data() + AtQuery(e, t, h, 0);
        const Values weights = WeightsOf(e, h, t);
        Values by_weight(shape_.key_steps, 0.0);
        double mean = 0;
        for (int64_t s = 0; s < shape_.key_steps; ++s) {
          for (int64_t i = 0; i < size(); ++i) {
            const double factor = FactorOf(e, h, t, s);
            by_keys[AtKey(e, s, h, i, 1)] += factor * weights[s] * d[i];
            by_weight[s] += factor * d[i] * keys_[AtKey(e, s, h, i, 1)];
          }
          mean += weights[s] * by_weight[s];
        }
        for (int64_t s = 0; s < shape_.key_steps; ++s) {
          const double by_score = weights[s] * (by_weight[s] - mean) * scale;
          for (int64_t i = 0; i < size(); ++i) {
            by_queries[AtQuery(e, t, h, i)] += by_score * keys_[AtKey(e, s, h, i, 0)];
            by_keys[AtKey(e, s, h, i, 0)] += by_score * queries_[AtQuery(e, t, h, i)];
          }
        }
      }
    }
  }
  return {std::move(by_queries), std::move(by_keys)};
}

// Each row holds a query, a key and a value.
Values Attention::Forward(const Values& x, const Pass& pass) {
  Values queries, keys;
  for (size_t row = 0; row < x.size(); row += 3 * features_) {
    const auto begin = x.begin() + row;
    queries.insert(queries.end(), begin, begin + features_);
    keys.insert(keys.end(), begin + features_, begin + 3 * features_);
  }
  return attention_.Forward({&queries, &keys}, pass);
}

Values Attention::Backward(const Values& dy) {
  const std::vector<Values> by_inputs = attention_.Backward(dy);
  Values dx;
  for (size_t row = 0; row < dy.size(); row += features_) {
    const auto query = by_inputs[0].begin() + row, key = by_inputs[1].begin() + 2 * row;
    dx.insert(dx.end(), query, query + features_);
    dx.insert(dx.end(), key, key + 2 * features_);
  }
  return dx;
}

}  // namespace dl::reference
