#include "nn/kernels/amx/amx_attention.h"

#include <immintrin.h>

#include "nn/kernels/bf16.h"
#include "nn/kernels/clones.h"
#include "nn/kernels/isa_target.h"

namespace dl::nn {

namespace {

constexpr int64_t kSides = 32;  // rows and columns of a product of two by two tiles

}  // namespace

bool AmxAttention::Supports(int64_t steps, int64_t size) {
  return steps % kSides == 0 && size % kSides == 0;
}

AmxAttention::AmxAttention(const ScoresShape& scores, int64_t size)
    : scores_(scores), size_(size), features_(scores.heads * size) {}

int64_t AmxAttention::scratch_floats() const {
  const int64_t steps = scores_.rows, matrix = MatrixAt(1);
  return matrix + kSides * size_ + (matrix + steps * size_ + kSides * steps) / 2;
}

AmxAttention::Scratch AmxAttention::Divide(float* scratch) const {
  Scratch s{.gradient = scratch, .block = scratch + MatrixAt(1)};
  s.rounded = reinterpret_cast<uint16_t*>(s.block + kSides * size_);
  s.tiles = s.rounded + MatrixAt(1);
  s.transposed = s.tiles + scores_.rows * size_;
  return s;
}

template <typename Value>
AmxAttention::Columns<Value> AmxAttention::Of(int64_t matrix, Value* x, Third third) const {
  const int64_t width = 3 * features_, first = matrix / scores_.heads * scores_.rows;
  return {x + first * width + third * features_ + matrix % scores_.heads * size_, width};
}

template <typename Value>
AmxAttention::Columns<Value> AmxAttention::OfHead(int64_t matrix, Value* rows) const {
  const int64_t first = matrix / scores_.heads * scores_.rows;
  return {rows + first * features_ + matrix % scores_.heads * size_, features_};
}

}  // namespace dl::nn

DL_TARGET_AMX
#include "nn/kernels/amx/tiles.h"

namespace dl::nn {
namespace {

using amx::kSide, amx::kTerms, amx::kTile;

constexpr __mmask16 kAllColumns = 0xffff;

// Arranges rows as tiles of B whose terms are the rows, [size / 16][steps / 32] tiles.
DL_ALWAYS_INLINE void TilesOfRows(const uint16_t* rows, int64_t width, int64_t steps, int64_t size,
                                  uint16_t* tiles) {
  for (int64_t row = 0; row < steps; row += kTerms) {
    for (int64_t column = 0; column < size; column += kSide) {
      const amx::Rows pairs =
          amx::PairsOfRows(rows + row * width + column, width, kTerms, kAllColumns);
      amx::Store(pairs, tiles + column * steps + row * kSide);
    }
  }
}

// Arranges rows as tiles of B whose terms are the columns, [steps / 16][size / 32] tiles.
DL_ALWAYS_INLINE void TilesOfColumns(const uint16_t* rows, int64_t width, int64_t steps,
                                     int64_t size, uint16_t* tiles) {
  for (int64_t row = 0; row < steps; row += kSide) {
    for (int64_t column = 0; column < size; column += kTerms, tiles += kTile) {
      amx::Rows tile;
      for (int i = 0; i < kSide; ++i)
        tile.row[i] = _mm512_loadu_si512(rows + (row + i) * width + column);
      amx::Transpose(&tile);
      amx::Store(tile, tiles);
    }
  }
}

}  // namespace

void AmxAttention::Scores(const Columns<const uint16_t>& rows,
                          const Columns<const uint16_t>& columns, const Scratch& scratch,
                          float* scores) const {
  uint16_t* const tiles = scratch.tiles;
  const int64_t steps = scores_.rows, panel = size_ * kSide;
  TilesOfColumns(columns.first, columns.width, steps, size_, tiles);
  amx::OrderMemory();
  for (int64_t row = 0; row < steps; row += kSides) {
    const uint16_t* const a = rows.first + row * rows.width;
    for (int64_t column = 0; column < SeenBy(row); column += kSides) {
      const uint16_t* const b = tiles + column / kSide * panel;
      float* const c = scores + row * steps + column;
      amx::Multiply<2, 2>({.a = {a, a + kSide * rows.width},
                           .a_row_bytes = rows.width * 2,
                           .a_step = kTerms,
                           .b = {b, b + panel},
                           .steps = size_ / kTerms,
                           .c = {{c, c + kSide}, {c + kSide * steps, c + kSide * steps + kSide}},
                           .c_row_bytes = steps * 4});
    }
  }
  amx::OrderMemory();
}

void AmxAttention::ByQueries(const Scratch& scratch, const Columns<const uint16_t>& factor,
                             const Columns<uint16_t>& result) const {
  uint16_t* const tiles = scratch.tiles;
  const uint16_t* const weights = scratch.rounded;
  float* const block = scratch.block;
  const int64_t steps = scores_.rows, panel = steps * kSide;
  TilesOfRows(factor.first, factor.width, steps, size_, tiles);
  for (int64_t row = 0; row < steps; row += kSides) {
    const uint16_t* const a = weights + row * steps;
    amx::OrderMemory();
    for (int64_t column = 0; column < size_; column += kSides) {
      const uint16_t* const b = tiles + column / kSide * panel;
      float* const c = block + column;
      amx::Multiply<2, 2>({.a = {a, a + kSide * steps},
                           .a_row_bytes = steps * 2,
                           .a_step = kTerms,
                           .b = {b, b + panel},
                           .steps = SeenBy(row) / kTerms,
                           .c = {{c, c + kSide}, {c + kSide * size_, c + kSide * size_ + kSide}},
                           .c_row_bytes = size_ * 4});
    }
    amx::OrderMemory();
    for (int64_t i = 0; i < kSides; ++i)
      RoundToBf16(block + i * size_, result.first + (row + i) * result.width, size_);
  }
}

void AmxAttention::ByKeys(const Scratch& scratch, const Columns<const uint16_t>& factor,
                          const Columns<uint16_t>& result) const {
  uint16_t *const tiles = scratch.tiles, *const transposed = scratch.transposed;
  const uint16_t* const weights = scratch.rounded;
  float* const block = scratch.block;
  const int64_t steps = scores_.rows, panel = steps * kSide;
  TilesOfRows(factor.first, factor.width, steps, size_, tiles);
  for (int64_t key = 0; key < steps; key += kSides) {
    const int64_t first = FirstThatSees(key);
    for (int64_t row = first; row < steps; row += kTerms) {
      for (int64_t i = 0; i < 2; ++i) {
        amx::Rows tile =
            amx::PairsOfRows(weights + row * steps + key + i * kSide, steps, kTerms, kAllColumns);
        amx::Transpose(&tile);
        amx::Store(tile, transposed + i * panel + (row - first) * kSide);
      }
    }
    amx::OrderMemory();
    for (int64_t column = 0; column < size_; column += kSides) {
      const uint16_t* const b = tiles + column / kSide * panel + first * kSide;
      float* const c = block + column;
      amx::Multiply<2, 2>({.a = {transposed, transposed + panel},
                           .b = {b, b + panel},
                           .steps = (steps - first) / kTerms,
                           .c = {{c, c + kSide}, {c + kSide * size_, c + kSide * size_ + kSide}},
                           .c_row_bytes = size_ * 4});
    }
    amx::OrderMemory();
    for (int64_t i = 0; i < kSides; ++i)
      RoundToBf16(block + i * size_, result.first + (key + i) * result.width, size_);
  }
}

void AmxAttention::Forward(const uint16_t* x, float* memory, float* weights, uint16_t* y) const {
  const amx::TileShapes shapes;
  const Scratch scratch = Divide(memory);
  for (int64_t m = 0; m < scores_.matrices; ++m) {
    float* const p = weights + MatrixAt(m);
    Scores(Of(m, x, kQueries), Of(m, x, kKeys), scratch, p);
    AttentionWeights(scores_, m, p);
    RoundToBf16(p, scratch.rounded, MatrixAt(1));
    ByQueries(scratch, Of(m, x, kValues), OfHead(m, y));
  }
}

void AmxAttention::Backward(const uint16_t* x, const float* weights, const uint16_t* dy,
                            float* memory, uint16_t* dx) const {
  const amx::TileShapes shapes;
  const Scratch scratch = Divide(memory);
  for (int64_t m = 0; m < scores_.matrices; ++m) {
    const Columns<const uint16_t> answers = OfHead(m, dy);
    const float* const p = weights + MatrixAt(m);
    RoundToBf16(p, scratch.rounded, MatrixAt(1));
    ByKeys(scratch, answers, Of(m, dx, kValues));
    Scores(answers, Of(m, x, kValues), scratch, scratch.gradient);
    AttentionWeightsGradient(scores_, m, p, scratch.gradient);
    RoundToBf16(scratch.gradient, scratch.rounded, MatrixAt(1));
    ByQueries(scratch, Of(m, x, kKeys), Of(m, dx, kQueries));
    ByKeys(scratch, Of(m, x, kQueries), Of(m, dx, kKeys));
  }
}

}  // namespace dl::nn
DL_TARGET_END
