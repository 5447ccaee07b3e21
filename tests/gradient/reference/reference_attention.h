// softmax(Q K^T / sqrt(d)) V for each head of each example, value by value. CrossAttention is the
// middle of nn/conf/layers/cross_attention.h: it reads rows of queries and rows of keys and values.
// Attention is the middle of nn/conf/layers/self_attention.h, where each row holds query, key and
// value.
#pragma once

#include "tests/gradient/reference/reference_dropout.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class CrossAttention : public JoiningLayer {
 public:
  struct Shape {
    int64_t query_steps = 0, key_steps = 0, features = 0, heads = 0;
    bool causal = false;
    AttentionDropout dropout = {};
  };
  explicit CrossAttention(const Shape& shape) : shape_(shape) {}
  Values Forward(const std::vector<const Values*>& x, const Pass& pass) override;
  std::vector<Values> Backward(const Values& dy) override;

 private:
  // Return the index of feature i of a head at a step. AtQuery: in the queries and the output.
  // AtKey: in the keys (`half` 0) or values (`half` 1).
  size_t AtQuery(int64_t example, int64_t step, int64_t head, int64_t i) const;
  size_t AtKey(int64_t example, int64_t step, int64_t head, int64_t i, int64_t half) const;
  // Returns the attention weights of a step, before dropout.
  Values WeightsOf(int64_t example, int64_t head, int64_t step) const;
  // Returns the dropout factor of a step's weight for the step `seen`.
  double FactorOf(int64_t example, int64_t head, int64_t step, int64_t seen) const;
  int64_t size() const { return shape_.features / shape_.heads; }

  Shape shape_;
  Values queries_, keys_, mask_;
  int64_t examples_ = 0;
};

class Attention : public Layer {
 public:
  struct Shape {
    int64_t steps = 0, features = 0, heads = 0;
    bool causal = false;
    AttentionDropout dropout = {};
  };
  explicit Attention(const Shape& shape)
      : features_(shape.features),
        attention_(
            {shape.steps, shape.steps, shape.features, shape.heads, shape.causal, shape.dropout}) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  size_t features_;
  CrossAttention attention_;
};

}  // namespace dl::reference
