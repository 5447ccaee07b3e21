// Kernels with AMX share these functions, which arrange factors of bf16 as tiles and multiply them.
//
// A product of tiles adds, for each row r and column c of the result and 32 terms k,
//   C[r,c] += sum over k of A[r,k] B[k,c].
// A tile of A has 16 rows of 32 numbers. A tile of B has 16 rows, and row p holds the pairs
// (B[2p,c], B[2p+1,c]) of 16 columns. A tile of C has 16 rows of 16 floats. The instruction adds
// the 32 terms in an order of its own, and the sums of instructions in the order of the calls.
//
// Include it only between DL_TARGET_AMX and DL_TARGET_END, after <immintrin.h>.
#pragma once

#include <cstdint>

#include "nn/kernels/clones.h"

namespace dl::nn::amx {

constexpr int kTerms = 32;          // of a product of two tiles
constexpr int kTile = 16 * kTerms;  // bf16 numbers of a tile
constexpr int kSide = 16;           // rows of a tile; columns of a tile of C

// Sets the shape of all eight tiles for the calling thread, and gives the tiles back.
class TileShapes {
 public:
  DL_ALWAYS_INLINE TileShapes() {
    struct alignas(64) {
      uint8_t palette = 1, first_row = 0;
      uint8_t reserved[14] = {};
      uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    } config;
    _tile_loadconfig(&config);
  }
  DL_ALWAYS_INLINE ~TileShapes() { _tile_release(); }
  TileShapes(const TileShapes&) = delete;
  TileShapes& operator=(const TileShapes&) = delete;
};

// Instructions on tiles read and write memory that the compiler does not know about. Stands between
// them and the code that writes their sources or reads their results.
DL_ALWAYS_INLINE void OrderMemory() { asm volatile("" ::: "memory"); }

// Returns the pairs (a[i], b[i]) of two rows of up to 16 numbers. `columns` selects them; others
// are 0.
DL_ALWAYS_INLINE __m512i PairsOf(const uint16_t* a, const uint16_t* b, __mmask16 columns) {
  const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(columns, a));
  const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(columns, b));
  return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}
// Selects the first columns of 16. `count` may be less than 0, or more than 16.
DL_ALWAYS_INLINE __mmask16 FirstColumns(int64_t count) {
  if (count <= 0) return 0;
  return static_cast<__mmask16>(count >= kSide ? 0xffff : (1 << count) - 1);
}

// A tile in registers, a row each.
struct Rows {
  __m512i row[kSide];
};

// Returns the pairs of 32 rows of a matrix [32, stride]: a tile of B. Rows from `rows` on are 0.
DL_ALWAYS_INLINE Rows PairsOfRows(const uint16_t* x, int64_t stride, int64_t rows,
                                  __mmask16 columns) {
  Rows pairs;
  for (int p = 0; p < kSide; ++p) {
    const uint16_t* const row = x + 2 * p * stride;
    const bool has_first = 2 * p < rows, has_second = 2 * p + 1 < rows;
    pairs.row[p] =
        has_first ? PairsOf(row, has_second ? row + stride : row, columns) : _mm512_setzero_si512();
    if (has_first && !has_second)
      pairs.row[p] = _mm512_and_si512(pairs.row[p], _mm512_set1_epi32(0xffff));
  }
  return pairs;
}

// Transposes a matrix of 16 x 16 values of 32 bits.
DL_ALWAYS_INLINE void Transpose(Rows* rows) {
  __m512i* const r = rows->row;
  __m512i t[kSide];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  constexpr int kEven = 0x88, kOdd = 0xdd;  // quarters of both operands
  for (int half = 0; half < 16; half += 8) {
    for (int i = 0; i < 4; ++i) {
      t[half + i] = _mm512_shuffle_i32x4(r[half + i], r[half + 4 + i], kEven);
      t[half + 4 + i] = _mm512_shuffle_i32x4(r[half + i], r[half + 4 + i], kOdd);
    }
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[8 + i], kEven);
    r[4 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], kEven);
    r[8 + i] = _mm512_shuffle_i32x4(t[i], t[8 + i], kOdd);
    r[12 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], kOdd);
  }
}

DL_ALWAYS_INLINE void Store(const Rows& rows, uint16_t* tile) {
  for (int i = 0; i < kSide; ++i) _mm512_store_si512(tile + kTerms * i, rows.row[i]);
}

// A product of one or two tiles of A, below each other, and one or two tiles of B, side by side,
// for 32 * steps terms. The tiles of B for successive terms are contiguous.
struct TileProduct {
  const uint16_t* a[2] = {};
  int64_t a_row_bytes = 64;  // from one row of a tile of A to the next
  int64_t a_step = kTile;    // numbers from a tile of A to the tile of the next terms
  const uint16_t* b[2] = {};
  int64_t steps = 0;
  float* c[2][2] = {};  // by tile of A and tile of B
  int64_t c_row_bytes = 0;
  bool adds = false;  // to the tiles of C; otherwise they are overwritten
};

template <int kA, int kB>
DL_ALWAYS_INLINE void Multiply(const TileProduct& p) {
  const auto a_row = static_cast<size_t>(p.a_row_bytes), c_row = static_cast<size_t>(p.c_row_bytes);
  if (p.adds) {
    _tile_loadd(0, p.c[0][0], c_row);
    if constexpr (kB == 2) _tile_loadd(1, p.c[0][1], c_row);
    if constexpr (kA == 2) _tile_loadd(2, p.c[1][0], c_row);
    if constexpr (kA == 2 && kB == 2) _tile_loadd(3, p.c[1][1], c_row);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t step = 0; step < p.steps; ++step) {
    _tile_loadd(6, p.b[0] + step * kTile, 64);
    _tile_loadd(4, p.a[0] + step * p.a_step, a_row);
    if constexpr (kB == 2) _tile_loadd(7, p.b[1] + step * kTile, 64);
    if constexpr (kA == 2) _tile_loadd(5, p.a[1] + step * p.a_step, a_row);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kB == 2) _tile_dpbf16ps(1, 4, 7);
    if constexpr (kA == 2) _tile_dpbf16ps(2, 5, 6);
    if constexpr (kA == 2 && kB == 2) _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, p.c[0][0], c_row);
  if constexpr (kB == 2) _tile_stored(1, p.c[0][1], c_row);
  if constexpr (kA == 2) _tile_stored(2, p.c[1][0], c_row);
  if constexpr (kA == 2 && kB == 2) _tile_stored(3, p.c[1][1], c_row);
}

}  // namespace dl::nn::amx
