// What self-attention (nn/conf/layers/self_attention.h) computes between its two products: rows of
// queries, keys and values [rows, 3 features] to the heads' answers [rows, features].
#pragma once

#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

struct AttentionShape {
  int64_t steps = 0, features = 0, heads = 0;
  bool causal = false;
  bool variable_length = false;
};
std::unique_ptr<CompiledLayer> CompileAttention(const AttentionShape& shape);

}  // namespace dl::nn
