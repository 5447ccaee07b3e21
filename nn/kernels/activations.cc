#include "nn/kernels/activations.h"

#include <algorithm>

#include "base/philox_lanes.h"
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

// out[i] = stream.At(i) < threshold ? dropped : kept, for each i of the range.
template <typename T>
DL_ALWAYS_INLINE void Choose(const RandomStream& stream, uint32_t threshold, T dropped, T kept,
                             IndexRange range, T* out) {
  constexpr int64_t kWords = 4 * kPhiloxLanes;
  for (int64_t begin = range.begin; begin < range.end; begin += kWords) {
    uint32_t words[4][kPhiloxLanes];
    PhiloxBlocks(stream, static_cast<uint64_t>(begin / 4), words);
    const int64_t count = std::min<int64_t>(kWords, range.end - begin);
    for (int64_t i = 0; i < count; ++i)
      out[begin + i] = words[i % 4][i / 4] < threshold ? dropped : kept;
  }
}

}  // namespace

DL_ISA_CLONES void DropoutMask(const RandomStream& stream, uint32_t threshold, float scale,
                               IndexRange range, float* mask) {
  Choose(stream, threshold, 0.0f, scale, range, mask);
}

DL_ISA_CLONES void DropoutChoice(const RandomStream& stream, uint32_t threshold, IndexRange range,
                                 uint8_t* kept) {
  Choose(stream, threshold, uint8_t{0}, uint8_t{1}, range, kept);
}

}  // namespace dl::nn
