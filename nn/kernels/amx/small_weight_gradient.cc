#include "nn/kernels/amx/small_weight_gradient.h"

#include <immintrin.h>

#include <algorithm>
#include <utility>

#include "nn/kernels/bf16.h"
#include "nn/kernels/clones.h"
#include "nn/kernels/isa_target.h"

namespace dl::nn {

AmxSmallWeightGradient::AmxSmallWeightGradient(SmallWeightGradient gradient)
    : g_(std::move(gradient)),
      panel_((g_.rows + 31) / 32 * 32 * 16),
      source_values_(g_.in_pixels * InTiles() * panel_) {}

void AmxSmallWeightGradient::ComputeBias(const Buffers& buffers, int64_t first) const {
  constexpr int64_t kBlock = SmallWeightGradient::kBlock;
  float sums[kBlock] = {}, row[kBlock];
  for (int64_t r = 0; r < g_.rows * g_.out_pixels; ++r) {
    WidenBf16(buffers.diff_destination + r * g_.outputs + first, row, kBlock);
    for (int64_t o = 0; o < kBlock; ++o) sums[o] += row[o];
  }
  std::copy_n(sums, kBlock, buffers.diff_bias + first);
}

}  // namespace dl::nn

DL_TARGET_AMX
#include "nn/kernels/amx/tiles.h"

namespace dl::nn {
namespace {

using amx::kSide, amx::kTerms, amx::kTile;
constexpr __mmask16 kAll = 0xffff;

}  // namespace

void AmxSmallWeightGradient::StageSource(const Buffers& buffers, int64_t pixel) const {
  const int64_t stride = g_.in_pixels * g_.inputs;
  const uint16_t* const source = buffers.source + pixel * g_.inputs;
  uint16_t* const tiles = buffers.scratch + pixel * InTiles() * panel_;
  for (int64_t row = 0; row < g_.rows; row += kTerms) {
    for (int64_t tile = 0; tile < InTiles(); ++tile) {
      amx::Rows pairs =
          amx::PairsOfRows(source + row * stride + tile * kSide, stride, g_.rows - row, kAll);
      amx::Transpose(&pairs);
      amx::Store(pairs, tiles + tile * panel_ + row * kSide);
    }
  }
}

void AmxSmallWeightGradient::StageDestination(const Buffers& buffers, int64_t pixel) const {
  const int64_t stride = g_.out_pixels * g_.outputs;
  const uint16_t* const destination = buffers.diff_destination + pixel * g_.outputs;
  uint16_t* const tiles = buffers.scratch + source_values_ + pixel * OutTiles() * panel_;
  for (int64_t row = 0; row < g_.rows; row += kTerms) {
    for (int64_t tile = 0; tile < OutTiles(); ++tile) {
      amx::Store(
          amx::PairsOfRows(destination + row * stride + tile * kSide, stride, g_.rows - row, kAll),
          tiles + tile * panel_ + row * kSide);
    }
  }
}

void AmxSmallWeightGradient::Stage(const Buffers& buffers, IndexRange units) const {
  for (int64_t unit = units.begin; unit < units.end; ++unit) {
    if (unit < g_.in_pixels) {
      StageSource(buffers, unit);
    } else {
      StageDestination(buffers, unit - g_.in_pixels);
    }
  }
}

void AmxSmallWeightGradient::ComputeTap(const Buffers& buffers, int64_t out_tile, int64_t in_tile,
                                        int64_t tap) const {
  const auto taps = static_cast<int64_t>(g_.connections.size());
  amx::TileProduct product{.steps = panel_ / kTile,
                           .c_row_bytes = kSide * static_cast<int64_t>(sizeof(float))};
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t o = 0; o < 2; ++o) {
      const int64_t tile = ((out_tile + o) * InTiles() + in_tile + i) * taps + tap;
      product.c[i][o] = buffers.diff_weights + tile * kSide * kSide;
      if (g_.connections[tap].empty()) std::fill_n(product.c[i][o], kSide * kSide, 0.0f);
    }
  }
  for (const auto& [in, out] : g_.connections[tap]) {
    product.a[0] = buffers.scratch + (in * InTiles() + in_tile) * panel_;
    product.a[1] = product.a[0] + panel_;
    product.b[0] = buffers.scratch + source_values_ + (out * OutTiles() + out_tile) * panel_;
    product.b[1] = product.b[0] + panel_;
    amx::Multiply<2, 2>(product);
    product.adds = true;
  }
}

void AmxSmallWeightGradient::Compute(const Buffers& buffers, IndexRange units) const {
  const amx::TileShapes shapes;
  const auto taps = static_cast<int64_t>(g_.connections.size());
  amx::OrderMemory();
  for (int64_t unit = units.begin; unit < units.end; ++unit) {
    for (int64_t in_tile = 0; in_tile < InTiles(); in_tile += 2) {
      for (int64_t tap = 0; tap < taps; ++tap) ComputeTap(buffers, 2 * unit, in_tile, tap);
    }
    if (buffers.diff_bias != nullptr) ComputeBias(buffers, unit * SmallWeightGradient::kBlock);
  }
  amx::OrderMemory();
}

}  // namespace dl::nn
DL_TARGET_END
