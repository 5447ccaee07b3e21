// The part of attention layers that lies between the products with their weights
// (nn/conf/layers/self_attention.h, nn/conf/layers/cross_attention.h).
#pragma once

#include <memory>

#include "nn/layers/attention_heads.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Maps rows of queries, keys and values [rows, 3 * features] to the heads' outputs [rows,
// features].
std::unique_ptr<CompiledLayer> CompileSelfAttentionHeads(const AttentionHeads::Shape& shape);
// Has two inputs: queries [rows, features], and keys and values [rows, 2 * features].
std::unique_ptr<CompiledLayer> CompileCrossAttentionHeads(const AttentionHeads::Shape& shape);

}  // namespace dl::nn
