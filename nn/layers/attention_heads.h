// The heads of an attention layer, between the products with its weights. Self-attention and
// cross-attention share this class. Its buffers lie in the plan's arena.
#pragma once

#include "nn/kernels/attention_kernels.h"
#include "nn/layers/planned_product.h"

namespace dl::nn {

class AttentionHeads {
 public:
  struct Shape {
    int64_t query_steps = 0, key_steps = 0, features = 0, heads = 0;
    bool causal = false;
    bool variable_length = false;  // allowed only in self-attention
    // Probability of dropping an attention weight in training. `layer_index`, the layer's index in
    // the model, is a coordinate of the random numbers.
    double dropout = 0;
    int64_t layer_index = 0;
  };
  explicit AttentionHeads(const Shape& shape)
      : shape_(shape), size_(shape.features / shape.heads) {}

  // Plan the buffers and products of the forward step and of the backward step, and bind them.
  Status Plan(PlanBuilder& builder, int64_t examples);
  Status PlanGradient(PlanBuilder& builder);
  Status Bind(const PlanMemory& memory, bool has_gradient);

  // A range of `features` columns in rows of `width` values, beginning at column `begin`.
  template <typename Value>
  struct Columns {
    Value* rows = nullptr;
    int64_t width = 0, begin = 0;
  };
  template <typename Value>
  struct Rows {
    Columns<Value> queries, keys, values;
  };
  // Draws the dropout mask for the next Forward and Backward. Must be called before each Forward in
  // training. Does nothing without dropout and in a plan for inference.
  void Draw(const Pass& pass);
  // Forward computes y, [examples * query steps, features]: the results of the heads, side by side.
  // Backward computes the gradients with respect to queries, keys and values from dy. `Value` is
  // float, or uint16_t for rows of bf16. A plan for bf16 rounds the factors of products to bf16
  // with both types. Results in rows of float, rounded to bf16, therefore have the same bits as
  // results in rows of bf16. REQUIRES: Bind was called; for Backward, Forward was called for the
  // same micro-batch; rows of bf16 only in a plan for bf16.
  template <typename Value>
  Status Forward(const Rows<const Value>& x, Value* y);
  template <typename Value>
  Status Backward(const Value* dy, const Rows<Value>& dx);

 private:
  template <typename Value>
  HeadsShape In(const Columns<Value>& columns, int64_t steps) const {
    return {.examples = examples_,
            .steps = steps,
            .heads = shape_.heads,
            .size = size_,
            .width = columns.width,
            .begin = columns.begin};
  }
  HeadsShape Answers() const {
    return In(Columns<float>{.width = shape_.features}, shape_.query_steps);
  }
  // Adds a buffer for factors of products.
  BufferId AddFactors(ArenaPlan& arena, int64_t values) const {
    return rounds_ ? arena.Add<uint16_t>(values) : arena.Add(values);
  }
  // Copies a range of columns to the matrices of a factor.
  template <typename Value>
  void Split(const Columns<const Value>& columns, int64_t steps, void* factor) const;
  // Rounds attention weights, or their gradient, of a range of matrices. Does nothing in float32.
  void RoundWeights(IndexRange matrices, const float* weights, void* factor) const;
  // [query steps, size] x [size, key steps], for each head.
  MatrixProductGeometry Scores() const;
  // ByQueries: [query steps, key steps] x [key steps, size]. ByKeys: [key steps, query steps] x
  // [query steps, size], with the same first factor, transposed.
  MatrixProductGeometry ByQueries() const;
  MatrixProductGeometry ByKeys() const;
  int64_t Floats(int64_t rows, int64_t columns) const {
    return examples_ * shape_.heads * rows * columns;
  }
  int64_t WeightCount() const { return Floats(shape_.query_steps, shape_.key_steps); }
  // Multiplies attention weights, or their gradient, by the dropout mask, in place.
  void Drop(float* weights) const;

  Shape shape_;
  int64_t size_ = 0, examples_ = 0;
  ScoresShape scores_;
  bool drops_ = false;
  bool rounds_ = false;  // factors of products are rounded to bf16
  BufferId query_ = kNoBuffer, key_ = kNoBuffer, value_ = kNoBuffer, answer_ = kNoBuffer,
           weights_ = kNoBuffer, dropped_ = kNoBuffer, rounded_ = kNoBuffer, mask_ = kNoBuffer;
  BufferId d_query_ = kNoBuffer, d_key_ = kNoBuffer, d_value_ = kNoBuffer, d_answer_ = kNoBuffer,
           d_weights_ = kNoBuffer, d_rounded_ = kNoBuffer;
  PlannedProduct scores_product_, answer_product_;
  PlannedProduct d_value_product_, d_weights_product_, d_query_product_, d_key_product_;
  // Factors of products, in float32 or bf16. In a plan for bf16, p_factor_ and dp_factor_ are
  // rounded copies of answering_ and dp_. In a plan for float32, they are answering_ and dp_.
  void *q_ = nullptr, *k_ = nullptr, *v_ = nullptr, *p_factor_ = nullptr;
  void *do_ = nullptr, *dp_factor_ = nullptr;
  float *p_ = nullptr, *o_ = nullptr;
  float* answering_ = nullptr;  // the weights after dropout; p_ without dropout
  uint8_t* kept_ = nullptr;     // for each weight, whether it is kept; null without dropout
  float *dq_ = nullptr, *dk_ = nullptr, *dv_ = nullptr, *dp_ = nullptr;
};

// Returns the matrices of scores of this number of examples, without their lengths.
ScoresShape ScoresOf(const AttentionHeads::Shape& shape, int64_t examples);

}  // namespace dl::nn
