// Layers that look up rows of a table by index, or add rows to each example.
#pragma once

#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Embedding : public Layer {
 public:
  Embedding(Tensor table, int64_t units) : table_(table), units_(units) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;  // indices have no gradient: returns zeros

 private:
  Tensor table_;
  int64_t units_;
  Values x_;
};

class PositionalEmbedding : public Layer {
 public:
  explicit PositionalEmbedding(Tensor rows) : rows_(rows) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  Tensor rows_;
};

}  // namespace dl::reference
