#include "nn/kernels/amx/small_convolution.h"

#include <immintrin.h>

#include <algorithm>
#include <utility>

#include "nn/kernels/bf16.h"
#include "nn/kernels/clones.h"
#include "nn/kernels/isa_target.h"

namespace dl::nn {

AmxSmallConvolution::AmxSmallConvolution(SmallConvolution convolution)
    : c_(std::move(convolution)), row_tiles_((c_.rows + 15) / 16), panel_(16 * c_.terms) {}

}  // namespace dl::nn

DL_TARGET_AMX
#include "nn/kernels/amx/tiles.h"

namespace dl::nn {
namespace {

using amx::kSide, amx::kTerms, amx::kTile;
constexpr int64_t kBlock = SmallConvolution::kBlock;

}  // namespace

void AmxSmallConvolution::Stage(const Buffers& buffers, IndexRange units) const {
  for (int64_t unit = units.begin; unit < units.end; ++unit) {
    const int64_t pixel = unit / row_tiles_, first = unit % row_tiles_ * kSide;
    for (int64_t i = 0; i < kSide; ++i) {
      uint16_t* to = buffers.scratch + unit * panel_ + i * kTerms;
      const uint16_t* from = buffers.source + ((first + i) * c_.source_pixels + pixel) * c_.terms;
      const bool is_row = first + i < c_.rows;
      for (int64_t k = 0; k < c_.terms; k += kTerms, to += kTile)
        _mm512_store_si512(to, is_row ? _mm512_loadu_si512(from + k) : _mm512_setzero_si512());
    }
  }
}

void AmxSmallConvolution::ComputeBlock(const Buffers& buffers, const Block& block) const {
  alignas(64) float sums[kBlock * kBlock];
  const auto& sources = c_.sources[block.pixel];
  const int64_t columns = 2 * block.unit;  // the first tile of columns
  if (sources.empty()) std::fill_n(sums, kBlock * kBlock, 0.0f);
  amx::TileProduct product{.steps = c_.terms / kTerms,
                           .c = {{sums, sums + kSide}, {sums + kSide * kBlock, nullptr}},
                           .c_row_bytes = kBlock * static_cast<int64_t>(sizeof(float))};
  product.c[1][1] = product.c[1][0] + kSide;
  amx::OrderMemory();
  for (const auto& [pixel, tap] : sources) {
    product.a[0] = buffers.scratch + (pixel * row_tiles_ + block.row_tile) * panel_;
    product.a[1] = product.a[0] + panel_;
    product.b[0] = buffers.weights + (columns * c_.taps + tap) * panel_;
    product.b[1] = product.b[0] + c_.taps * panel_;
    if (block.row_tile + 1 < row_tiles_) {
      amx::Multiply<2, 2>(product);
    } else {
      amx::Multiply<1, 2>(product);
    }
    product.adds = true;
  }
  amx::OrderMemory();
  Finish(buffers, block, sums);
}

void AmxSmallConvolution::Finish(const Buffers& buffers, const Block& block, float* sums) const {
  const int64_t first = block.row_tile * kSide, rows = std::min(kBlock, c_.rows - first);
  if (buffers.bias != nullptr) {
    const float* const bias = buffers.bias + block.unit * kBlock;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < kBlock; ++i) sums[row * kBlock + i] += bias[i];
    }
  }
  const auto pixels = static_cast<int64_t>(c_.sources.size());
  const auto place = [&](int64_t row) {
    return ((first + row) * pixels + block.pixel) * c_.columns + block.unit * kBlock;
  };
  if (!c_.rounds) {
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(sums + row * kBlock, kBlock, static_cast<float*>(buffers.result) + place(row));
    return;
  }
  alignas(64) uint16_t rounded[kBlock * kBlock];
  RoundToBf16(sums, rounded, rows * kBlock);
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(rounded + row * kBlock, kBlock,
                static_cast<uint16_t*>(buffers.result) + place(row));
  }
}

void AmxSmallConvolution::Compute(const Buffers& buffers, IndexRange units) const {
  const amx::TileShapes shapes;
  const auto pixels = static_cast<int64_t>(c_.sources.size());
  for (int64_t unit = units.begin; unit < units.end; ++unit) {
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      for (int64_t tile = 0; tile < row_tiles_; tile += 2)
        ComputeBlock(buffers, {.unit = unit, .pixel = pixel, .row_tile = tile});
    }
  }
}

}  // namespace dl::nn
DL_TARGET_END
