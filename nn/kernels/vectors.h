// Vectors of floats as the tiles of products use them (nn/kernels/product, nn/kernels/conv), for
// each instruction set under the same names. Code of an instruction set, which stands between
// DL_TARGET_... and DL_TARGET_END, begins with `using namespace` of one of the two.
#pragma once

#include <immintrin.h>

#include "nn/kernels/clones.h"
#include "nn/kernels/isa_target.h"

namespace dl::nn {

DL_TARGET_AVX2
namespace vectors_avx2 {

using Vec = __m256;
constexpr int kLanesOfVec = 8;
DL_ALWAYS_INLINE Vec Zero() { return _mm256_setzero_ps(); }
DL_ALWAYS_INLINE Vec Load(const float* x) { return _mm256_loadu_ps(x); }
DL_ALWAYS_INLINE void Store(float* x, Vec v) { _mm256_storeu_ps(x, v); }
DL_ALWAYS_INLINE Vec Broadcast(const float* x) { return _mm256_broadcast_ss(x); }
DL_ALWAYS_INLINE Vec Add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
DL_ALWAYS_INLINE Vec MultiplyAdd(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }

}  // namespace vectors_avx2
DL_TARGET_END

DL_TARGET_AVX512
namespace vectors_avx512 {

using Vec = __m512;
constexpr int kLanesOfVec = 16;
DL_ALWAYS_INLINE Vec Zero() { return _mm512_setzero_ps(); }
DL_ALWAYS_INLINE Vec Load(const float* x) { return _mm512_loadu_ps(x); }
DL_ALWAYS_INLINE void Store(float* x, Vec v) { _mm512_storeu_ps(x, v); }
DL_ALWAYS_INLINE Vec Broadcast(const float* x) { return _mm512_set1_ps(*x); }
DL_ALWAYS_INLINE Vec Add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
DL_ALWAYS_INLINE Vec MultiplyAdd(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }

}  // namespace vectors_avx512
DL_TARGET_END

}  // namespace dl::nn
