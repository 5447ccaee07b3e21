#include "nn/conf/winograd.h"

namespace dl::nn {
namespace {

constexpr int64_t kTile = 4;    // pixels of the output in each direction
constexpr int64_t kBlock = 16;  // channels

int64_t TilesOf(const WinogradShape& s) {
  return s.batch * ((s.height + kTile - 1) / kTile) * ((s.width + kTile - 1) / kTile);
}

}  // namespace

// bench/nn/winograd measures the kernels. The other kernels' time / Winograd's (Emerald Rapids,
// AVX-512, one thread), for images and for weights:
// - 1.2 to 1.5, 1.2 to 1.5 for 32 channels; 0.5 to 0.7, 1.2 for 16, because the transformations of
//   pixels cost more than the products
// - 0.9 to 1.3, 0.6 to 0.9 for 32 to 42 tiles, because weights are transformed, too
// - 1.0 to 1.6, 1.2 for 7x7 and 13x13 pixels; 0.6 to 1.1 for 5x5 and 6x6, whose tiles contain fewer
//   pixels
// - 1.3 to 2.5, 1.2 to 1.9 for the rest
bool UsesWinograd(const WinogradShape& shape, WinogradResult result) {
  constexpr int64_t kChannels = 32;
  constexpr double kLeastPart = 0.6;  // of the pixels of all tiles
  if (shape.in_channels % kBlock != 0 || shape.out_channels % kBlock != 0 ||
      shape.in_channels < kChannels || shape.out_channels < kChannels)
    return false;
  const int64_t least_tiles = result == WinogradResult::kImages ? 32 : 64;
  const int64_t tiles = TilesOf(shape);
  const auto pixels = static_cast<double>(shape.batch * shape.height * shape.width);
  return tiles >= least_tiles && pixels >= kLeastPart * static_cast<double>(tiles * kTile * kTile);
}

// Transformed inputs and outputs of all tiles, and transformed weights. Each thread adds up weight
// gradients of its own. Buffers begin at multiples of 2 MiB.
double WinogradScratch(const WinogradShape& shape, double threads) {
  constexpr double kProducts = 36, kBuffers = 5, kAlignment = (2 << 20) / sizeof(float);
  const auto in = static_cast<double>(shape.in_channels);
  const auto out = static_cast<double>(shape.out_channels);
  return kProducts * ((1 + threads) * in * out + static_cast<double>(TilesOf(shape)) * (in + out)) +
         kBuffers * kAlignment;
}

}  // namespace dl::nn
