#include "nn/kernels/activations.h"

#include <algorithm>

#include "nn/kernels/float_math.h"

namespace dl::nn {

DL_ISA_CLONES void TanhForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = TanhF(x[i]);
}
DL_ISA_CLONES void SigmoidForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = SigmoidF(x[i]);
}
DL_ISA_CLONES void ReluForward(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] < 0.0f ? 0.0f : x[i];
}
DL_ISA_CLONES void LeakyReluForward(float* x, int64_t n, float slope) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] > 0.0f ? x[i] : slope * x[i];
}
DL_ISA_CLONES void TanhBackward(const float* y, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dy[i] = dy[i] * (1.0f - y[i] * y[i]);
}
DL_ISA_CLONES void SigmoidBackward(const float* y, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dy[i] = dy[i] * (y[i] * (1.0f - y[i]));
}
DL_ISA_CLONES void ReluBackward(const float* y, float* dy, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dy[i] = y[i] > 0.0f ? dy[i] : 0.0f;
}
DL_ISA_CLONES void LeakyReluBackward(const float* y, float* dy, int64_t n, float slope) {
  for (int64_t i = 0; i < n; ++i) dy[i] = y[i] > 0.0f ? dy[i] : slope * dy[i];
}
DL_ISA_CLONES void AddTo(float* sum, const float* term, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] = sum[i] + term[i];
}

DL_ISA_CLONES void MultiplyByKept(const uint8_t* kept, float scale, float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] * (kept[i] != 0 ? scale : 0.0f);
}

DL_ISA_CLONES void MultiplyBy(const float* mask, float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] * mask[i];
}

namespace {

constexpr int kBlocks = 16;  // Philox blocks that are computed side by side

// Computes ten rounds on kBlocks counters at once, component by component, so that the loop
// vectorizes. Equals Philox4x32(), word for word.
DL_ALWAYS_INLINE void PhiloxBlocks(const uint32_t key[2], uint64_t base, uint64_t first,
                                   uint32_t out[4][kBlocks]) {
  uint32_t c0[kBlocks], c1[kBlocks], c2[kBlocks], c3[kBlocks];
  for (int j = 0; j < kBlocks; ++j) {
    c0[j] = static_cast<uint32_t>(first + j);
    c1[j] = static_cast<uint32_t>((first + j) >> 32);
    c2[j] = static_cast<uint32_t>(base);
    c3[j] = static_cast<uint32_t>(base >> 32);
  }
  uint32_t k0 = key[0];
  uint32_t k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    for (int j = 0; j < kBlocks; ++j) {
      const uint64_t p0 = uint64_t{0xD2511F53} * c0[j];
      const uint64_t p1 = uint64_t{0xCD9E8D57} * c2[j];
      c0[j] = static_cast<uint32_t>(p1 >> 32) ^ c1[j] ^ k0;
      c1[j] = static_cast<uint32_t>(p1);
      c2[j] = static_cast<uint32_t>(p0 >> 32) ^ c3[j] ^ k1;
      c3[j] = static_cast<uint32_t>(p0);
    }
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  for (int j = 0; j < kBlocks; ++j) {
    out[0][j] = c0[j];
    out[1][j] = c1[j];
    out[2][j] = c2[j];
    out[3][j] = c3[j];
  }
}

}  // namespace

namespace {

// out[i] = stream.At(i) < threshold ? dropped : kept.
template <typename T>
DL_ALWAYS_INLINE void Choose(const RandomStream& stream, uint32_t threshold, T dropped, T kept,
                             T* out, int64_t n) {
  const uint32_t key[2] = {stream.key()[0], stream.key()[1]};
  const uint64_t base = stream.base();
  constexpr int64_t kWords = 4 * kBlocks;
  for (int64_t begin = 0; begin < n; begin += kWords) {
    uint32_t words[4][kBlocks];
    PhiloxBlocks(key, base, static_cast<uint64_t>(begin / 4), words);
    const int64_t count = std::min<int64_t>(kWords, n - begin);
    for (int64_t i = 0; i < count; ++i)
      out[begin + i] = words[i % 4][i / 4] < threshold ? dropped : kept;
  }
}

}  // namespace

DL_ISA_CLONES void DropoutMask(const RandomStream& stream, uint32_t threshold, float scale,
                               float* mask, int64_t n) {
  Choose(stream, threshold, 0.0f, scale, mask, n);
}

DL_ISA_CLONES void DropoutChoice(const RandomStream& stream, uint32_t threshold, uint8_t* kept,
                                 int64_t n) {
  Choose(stream, threshold, uint8_t{0}, uint8_t{1}, kept, n);
}

}  // namespace dl::nn
