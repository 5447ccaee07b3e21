// What attentions (nn/conf/layers/self_attention.h, nn/conf/layers/cross_attention.h) compute
// between the products with their weights.
#pragma once

#include <memory>

#include "nn/layers/attention_heads.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Rows of queries, keys and values [rows, 3 features] to the heads' answers [rows, features].
std::unique_ptr<CompiledLayer> CompileSelfAttentionHeads(const AttentionHeads::Shape& shape);
// Of two inputs: queries [rows, features], and keys and values [rows, 2 features].
std::unique_ptr<CompiledLayer> CompileCrossAttentionHeads(const AttentionHeads::Shape& shape);

}  // namespace dl::nn
