#include "nn/kernels/amx/dense_gradient.h"

#include <immintrin.h>

#include <algorithm>

#include "nn/kernels/clones.h"
#include "nn/kernels/isa_target.h"

namespace dl::nn {

bool AmxDenseGradient::Supports(const BlockedMatrix& gradient) {
  return gradient.column_block == 16 && gradient.row_block % 16 == 0;
}

AmxDenseGradient::AmxDenseGradient(int64_t rows, const BlockedMatrix& gradient)
    : rows_(rows),
      gradient_(gradient),
      in_tiles_(gradient.ColumnBlocks()),
      out_tiles_(gradient.RowBlocks() * gradient.row_block / 16),
      panel_(16 * std::min(kBlockRows, (rows + 31) / 32 * 32)) {}

int64_t AmxDenseGradient::RowsOf(int64_t block) const {
  return std::min(kBlockRows, rows_ - block * kBlockRows);
}

int64_t AmxDenseGradient::TilesOf(int64_t unit) const {
  return std::min(kTilesOfUnit, out_tiles_ - unit * kTilesOfUnit);
}

float* AmxDenseGradient::Destination(const Buffers& buffers, int64_t out_tile,
                                     int64_t in_tile) const {
  const int64_t output = out_tile * 16, block = gradient_.row_block;
  return buffers.diff_weights + (output / block * in_tiles_ + in_tile) * 16 * block +
         output % block;
}

}  // namespace dl::nn

DL_TARGET_AMX
#include "nn/kernels/amx/tiles.h"

namespace dl::nn {
namespace {

using amx::kSide, amx::kTerms;

void Multiply(const amx::TileProduct& product, int64_t in_tiles, int64_t out_tiles) {
  if (in_tiles == 2) {
    out_tiles == 2 ? amx::Multiply<2, 2>(product) : amx::Multiply<2, 1>(product);
  } else {
    out_tiles == 2 ? amx::Multiply<1, 2>(product) : amx::Multiply<1, 1>(product);
  }
}

// Adds both rows of 16 pairs, the second row first.
DL_ALWAYS_INLINE __m512 AddPairs(__m512 sum, const amx::Rows& pairs) {
  const __m512i second = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  for (const __m512i& pair : pairs.row) {
    sum = _mm512_add_ps(sum, _mm512_castsi512_ps(_mm512_and_si512(pair, second)));
    sum = _mm512_add_ps(sum, _mm512_castsi512_ps(_mm512_slli_epi32(pair, 16)));
  }
  return sum;
}

}  // namespace

void AmxDenseGradient::Stage(const Buffers& buffers, int64_t block, IndexRange units) const {
  const int64_t first = block * kBlockRows, rows = RowsOf(block), inputs = gradient_.columns;
  // Inputs stand side by side in memory, so the loop over them is the inner one.
  for (int64_t row = 0; row < rows; row += kTerms) {
    for (int64_t tile = units.begin; tile < units.end; ++tile) {
      const uint16_t* const source = buffers.source + (first + row) * inputs + tile * kSide;
      amx::Rows pairs =
          amx::PairsOfRows(source, inputs, rows - row, amx::FirstColumns(inputs - tile * kSide));
      amx::Transpose(&pairs);
      amx::Store(pairs, buffers.scratch + tile * panel_ + row * kSide);
    }
  }
}

void AmxDenseGradient::StageOutputs(const Buffers& buffers, int64_t block, int64_t out_tile,
                                    uint16_t* tiles) const {
  const int64_t first = block * kBlockRows, rows = RowsOf(block), outputs = gradient_.rows;
  const int64_t output = out_tile * kSide;
  const __mmask16 columns = amx::FirstColumns(outputs - output);
  float* const bias = buffers.diff_bias + output;
  const bool has_bias = buffers.diff_bias != nullptr && columns != 0;
  __m512 sum = _mm512_setzero_ps();
  if (has_bias && block > 0) sum = _mm512_maskz_loadu_ps(columns, bias);
  for (int64_t row = 0; row < rows; row += kTerms) {
    const uint16_t* const from = buffers.diff_destination + (first + row) * outputs + output;
    const amx::Rows pairs = amx::PairsOfRows(from, outputs, rows - row, columns);
    if (has_bias) sum = AddPairs(sum, pairs);
    amx::Store(pairs, tiles + row * kSide);
  }
  if (has_bias) _mm512_mask_storeu_ps(bias, columns, sum);
}

void AmxDenseGradient::MultiplyUnit(const Buffers& buffers, int64_t block, int64_t unit,
                                    const uint16_t* tiles) const {
  const int64_t out_tiles = TilesOf(unit);
  for (int64_t in = 0; in < in_tiles_; in += 2) {
    const int64_t in_tiles = in + 1 < in_tiles_ ? 2 : 1;
    const uint16_t* const source = buffers.scratch + in * panel_;
    amx::TileProduct product{
        .a = {source, source + panel_},
        .b = {tiles, tiles + panel_},
        .steps = (RowsOf(block) + kTerms - 1) / kTerms,
        .c_row_bytes = gradient_.row_block * static_cast<int64_t>(sizeof(float)),
        .adds = block > 0};
    for (int64_t i = 0; i < in_tiles; ++i) {
      for (int64_t t = 0; t < out_tiles; ++t)
        product.c[i][t] = Destination(buffers, unit * kTilesOfUnit + t, in + i);
    }
    Multiply(product, in_tiles, out_tiles);
  }
}

void AmxDenseGradient::Compute(const Buffers& buffers, int64_t block, IndexRange units) const {
  alignas(64) uint16_t tiles[kTilesOfUnit * kBlockRows * kSide];
  const amx::TileShapes shapes;
  for (int64_t unit = units.begin; unit < units.end; ++unit) {
    for (int64_t t = 0; t < TilesOf(unit); ++t)
      StageOutputs(buffers, block, unit * kTilesOfUnit + t, tiles + t * panel_);
    amx::OrderMemory();
    MultiplyUnit(buffers, block, unit, tiles);
    amx::OrderMemory();
  }
}

}  // namespace dl::nn
DL_TARGET_END
