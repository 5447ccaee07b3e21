// The precision in which an engine computes activations and products.
#pragma once

#include <cstdint>
#include <string_view>

#include "nn/conf/words.h"

namespace dl::nn {

// kBf16: products, convolutions and the activations between them have the 16-bit type bfloat16: a
// float32 without the lower 16 bits of its fraction, rounded to nearest, ties to even. Weights,
// gradients of weights, sums inside of products, statistics, normalizations of rows, softmax and
// losses stay in float32, and so do states, merges and checkpoints. Requires a CPU with AMX or with
// the AVX-512 instructions for bf16.
enum class Precision : uint8_t { kFloat32, kBf16 };

// For builders: .Precision(nn::Bf16()).
constexpr Precision Float32() { return Precision::kFloat32; }
constexpr Precision Bf16() { return Precision::kBf16; }

template <>
struct WordsOf<Precision> {
  static constexpr std::string_view kWords[] = {"float32", "bf16"};
};

}  // namespace dl::nn
