// Self-attention of heads in bf16 by the own kernel for AMX, between the products with the layer's
// weights. Computes what AttentionHeads computes, with the same bits.
#pragma once

#include <cstdint>
#include <optional>

#include "nn/kernels/amx/amx_attention.h"
#include "nn/layers/attention_heads.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

class TiledAttention {
 public:
  // Returns whether this class can compute the layer in the plan.
  static bool CanCompute(const PlanBuilder& builder, const AttentionHeads::Shape& shape);

  // Plan the buffers of the forward step and of the backward step, and bind them. REQUIRES:
  // CanCompute.
  void Plan(PlanBuilder& builder, const AttentionHeads::Shape& shape, int64_t examples);
  void PlanGradient(PlanBuilder& builder);
  void Bind(const PlanMemory& memory);

  // Rows of x are queries, keys and values. dy and y have `features` columns. REQUIRES: Bind was
  // called; for Backward, Forward was called for the same micro-batch and x.
  void Forward(const uint16_t* x, uint16_t* y) const;
  void Backward(const uint16_t* x, const uint16_t* dy, uint16_t* dx) const;

 private:
  bool variable_length_ = false;
  std::optional<AmxAttention> attention_;
  BufferId weights_ = kNoBuffer, forward_scratch_ = kNoBuffer, backward_scratch_ = kNoBuffer;
  float *p_ = nullptr, *forward_ = nullptr, *backward_ = nullptr;
};

}  // namespace dl::nn
