#include "nn/kernels/product/product_tile.h"

#include <immintrin.h>

#include <array>
#include <utility>

#include "nn/kernels/clones.h"
#include "nn/kernels/isa_target.h"

namespace dl::nn {
namespace {

DL_TARGET_AVX2
namespace avx2 {

using Vec = __m256;
constexpr int kLanesOfVec = 8;
constexpr int kMaxRows[] = {0, 10, 6, 4};
DL_ALWAYS_INLINE Vec Zero() { return _mm256_setzero_ps(); }
DL_ALWAYS_INLINE Vec Load(const float* x) { return _mm256_loadu_ps(x); }
DL_ALWAYS_INLINE void Store(float* x, Vec v) { _mm256_storeu_ps(x, v); }
DL_ALWAYS_INLINE Vec Broadcast(const float* x) { return _mm256_broadcast_ss(x); }
DL_ALWAYS_INLINE Vec Add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
DL_ALWAYS_INLINE Vec MultiplyAdd(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
#include "nn/kernels/product/product_tile.inc"

}  // namespace avx2
DL_TARGET_END

DL_TARGET_AVX512
namespace avx512 {

using Vec = __m512;
constexpr int kLanesOfVec = 16;
constexpr int kMaxRows[] = {0, 12, 12, 8};
DL_ALWAYS_INLINE Vec Zero() { return _mm512_setzero_ps(); }
DL_ALWAYS_INLINE Vec Load(const float* x) { return _mm512_loadu_ps(x); }
DL_ALWAYS_INLINE void Store(float* x, Vec v) { _mm512_storeu_ps(x, v); }
DL_ALWAYS_INLINE Vec Broadcast(const float* x) { return _mm512_set1_ps(*x); }
DL_ALWAYS_INLINE Vec Add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
DL_ALWAYS_INLINE Vec MultiplyAdd(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
#include "nn/kernels/product/product_tile.inc"

}  // namespace avx512
DL_TARGET_END

}  // namespace

int MaxProductRows(int lanes, int vectors) {
  return lanes == 16 ? avx512::kMaxRows[vectors] : avx2::kMaxRows[vectors];
}

void ComputeProductTile(int lanes, const ProductTile& tile) {
  if (lanes == 16) {
    avx512::ComputeRowsTile(tile);
  } else {
    avx2::ComputeRowsTile(tile);
  }
}

void ComputePackedTile(int lanes, const PackedTile& tile) {
  if (lanes == 16) {
    avx512::ComputePackedRowsTile(tile);
  } else {
    avx2::ComputePackedRowsTile(tile);
  }
}

}  // namespace dl::nn
