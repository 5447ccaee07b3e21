// Layouts whose innermost dimension is a block of channels, as oneDNN's kernels for images choose
// them. Channels are padded to whole blocks. REQUIRES for these functions: four dimensions, and a
// block of 8 or 16.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "nn/backend/layout.h"
#include "nn/kernels/blocked_copy.h"
#include "nn/kernels/paired_weights.h"

namespace dl::nn {

// Images of dimensions [n, c, h, w] as [n][c/block][h][w][block].
Layout BlockedImages(std::span<const int64_t> dims, int block);
// Weights of dimensions [o, i, h, w] as [o/block][i/block][h][w][block of i][block of o].
Layout BlockedWeights(std::span<const int64_t> dims, int block);
// Weights of dimensions [o, i, h, w] as [o/block][h][w][i][block of o], for few input channels.
Layout BlockedFirstWeights(std::span<const int64_t> dims, int block);

// Weights of dimensions [o, i, h, w] in bf16 as [o/16][h][w][i/32][16 pairs of i][16 of o], or with
// the roles of o and i exchanged (kOfOutputs). REQUIRES: multiples of 32 of each.
Layout TiledWeights(std::span<const int64_t> dims, PairedWeights::Pairs pairs);

// Returns how the bf16 weights `to` of an inner product or of a convolution pair the values of the
// weights `from`, which are float32. None if one of them is arranged in another way.
std::optional<PairedWeights> PairedWeightsOf(const Layout& from, const Layout& to);

// Returns how weights in float32 stand in memory, if they are a matrix in blocks: those of an inner
// product, or of a convolution without taps besides one. None for other layouts.
std::optional<BlockedMatrix> BlockedMatrixOf(const Layout& weights);

}  // namespace dl::nn
