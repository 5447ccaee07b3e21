// Self-attention of heads in bf16, with AMX. It computes each head of each example as a whole, from
// rows of queries, keys and values where they stand in memory, and skips what causal attention
// masks. The products have the bits of oneDNN 2.6.3: each instruction adds 32 terms, and terms are
// added in ascending order. Skipped terms are zeros. Weights are computed by attention_kernels.h.
//
// Matrix number example * heads + head belongs to this head of this example (ScoresShape). Rows of
// x are [examples * steps, 3 * features]: queries, keys and values. A head has `size` columns of
// each.
#pragma once

#include <cstdint>

#include "nn/kernels/attention_kernels.h"

namespace dl::nn {

class AmxAttention {
 public:
  // Returns whether the kernel can compute this number of steps and columns of a head: multiples of
  // 32.
  static bool Supports(int64_t steps, int64_t size);

  // REQUIRES: Supports(scores.rows, size), scores.rows = scores.columns, and a CPU with AMX that
  // the process may use.
  AmxAttention(const ScoresShape& scores, int64_t size);

  // Lengths of examples may change between calls.
  void SetLengths(const int32_t* lengths) { scores_.lengths = lengths; }

  // Forward and Backward run on the calling thread. They need scratch memory of this size, aligned
  // to 64 bytes.
  int64_t scratch_floats() const;
  // Computes the attention weights, [matrices, steps, steps], and y, [examples * steps, features].
  // Weights of masked columns are 0.
  void Forward(const uint16_t* x, float* scratch, float* weights, uint16_t* y) const;
  // Computes the gradient dx of x from dy and from the weights that Forward computed.
  void Backward(const uint16_t* x, const float* weights, const uint16_t* dy, float* scratch,
                uint16_t* dx) const;

 private:
  struct Scratch {
    float* gradient = nullptr;       // of the weights of a matrix, [steps, steps]
    float* block = nullptr;          // rows of a result, [32, size]
    uint16_t* rounded = nullptr;     // weights of a matrix, or their gradient
    uint16_t* tiles = nullptr;       // a factor of a head, [steps, size]
    uint16_t* transposed = nullptr;  // columns of weights, [32, steps]
  };
  Scratch Divide(float* scratch) const;
  // The columns of a head in rows of `width` numbers.
  template <typename Value>
  struct Columns {
    Value* first = nullptr;
    int64_t width = 0;
  };
  enum Third { kQueries, kKeys, kValues };
  template <typename Value>
  Columns<Value> Of(int64_t matrix, Value* x, Third third) const;
  template <typename Value>
  Columns<Value> OfHead(int64_t matrix, Value* rows) const;
  int64_t MatrixAt(int64_t matrix) const { return matrix * scores_.rows * scores_.columns; }
  // Returns the end of the columns to which the 32 rows from `row` on attend.
  int64_t SeenBy(int64_t row) const { return scores_.causal ? row + 32 : scores_.columns; }
  // Returns the first row that attends to any of the 32 columns from `column` on.
  int64_t FirstThatSees(int64_t column) const { return scores_.causal ? column : 0; }

  void Scores(const Columns<const uint16_t>& rows, const Columns<const uint16_t>& columns,
              const Scratch& scratch, float* scores) const;
  // Multiply the rounded weights, or their gradient, by a factor. ByKeys transposes them.
  void ByQueries(const Scratch& scratch, const Columns<const uint16_t>& factor,
                 const Columns<uint16_t>& result) const;
  void ByKeys(const Scratch& scratch, const Columns<const uint16_t>& factor,
              const Columns<uint16_t>& result) const;

  ScoresShape scores_;
  int64_t size_, features_;
};

}  // namespace dl::nn
