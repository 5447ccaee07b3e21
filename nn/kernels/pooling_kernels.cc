#include "nn/kernels/pooling_kernels.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "nn/kernels/clones.h"

namespace dl::nn {
namespace {

// Explicit vectors, because g++ vectorizes neither the comparisons nor the bytes of these loops.
// x86-64-v3 and v4 have vectors of this size.
constexpr int kWidth = 8;
using Eight = float __attribute__((vector_size(kWidth * sizeof(float))));
using EightIndices = int32_t __attribute__((vector_size(kWidth * sizeof(int32_t))));
// For the last channels of a pixel whose channels are all contiguous.
constexpr int kHalf = 4;
using Four = float __attribute__((vector_size(kHalf * sizeof(float))));
using FourIndices = int32_t __attribute__((vector_size(kHalf * sizeof(int32_t))));

template <typename Numbers>
struct IndicesOf {
  using Type = EightIndices;
};
template <>
struct IndicesOf<Four> {
  using Type = FourIndices;
};
template <>
struct IndicesOf<float> {
  using Type = int32_t;
};

// Values of a pixel whose windows are computed at once: `count` vectors or single values.
template <typename Numbers_, int count>
struct Values {
  using Numbers = Numbers_;
  using Indices = typename IndicesOf<Numbers>::Type;
  static constexpr int kCount = count;
  static constexpr int kSize = sizeof(Numbers) / sizeof(float);
};

template <typename Numbers>
DL_ALWAYS_INLINE void LoadValues(const float* p, Numbers& numbers) {
  std::memcpy(&numbers, p, sizeof(numbers));
}
template <typename Numbers>
DL_ALWAYS_INLINE void StoreValues(const Numbers& numbers, float* p) {
  std::memcpy(p, &numbers, sizeof(numbers));
}

// Positions in windows as bytes. g++ converts vectors of bytes number by number, so this shifts
// them to their place in an integer of four bytes.
constexpr EightIndices kByte = {0, 8, 16, 24, 0, 8, 16, 24};
DL_ALWAYS_INLINE void StoreIndices(const EightIndices& indices, uint8_t* p) {
  EightIndices bytes = indices << kByte;
  bytes |= __builtin_shufflevector(bytes, bytes, 1, 0, 3, 2, 5, 4, 7, 6);
  bytes |= __builtin_shufflevector(bytes, bytes, 2, 3, 0, 1, 6, 7, 4, 5);
  const int32_t low = bytes[0], high = bytes[4];
  std::memcpy(p, &low, sizeof(low));
  std::memcpy(p + sizeof(low), &high, sizeof(high));
}
DL_ALWAYS_INLINE void LoadIndices(const uint8_t* p, EightIndices& indices) {
  int32_t low, high;
  std::memcpy(&low, p, sizeof(low));
  std::memcpy(&high, p + sizeof(low), sizeof(high));
  indices = (EightIndices{low, low, low, low, high, high, high, high} >> kByte) & 255;
}
DL_ALWAYS_INLINE void StoreIndices(const EightIndices& indices, uint16_t* p) {
  for (int i = 0; i < kWidth; ++i) p[i] = static_cast<uint16_t>(indices[i]);
}
DL_ALWAYS_INLINE void LoadIndices(const uint16_t* p, EightIndices& indices) {
  for (int i = 0; i < kWidth; ++i) indices[i] = p[i];
}
template <typename Index>
DL_ALWAYS_INLINE void StoreIndices(const FourIndices& indices, Index* p) {
  for (int i = 0; i < kHalf; ++i) p[i] = static_cast<Index>(indices[i]);
}
template <typename Index>
DL_ALWAYS_INLINE void LoadIndices(const Index* p, FourIndices& indices) {
  for (int i = 0; i < kHalf; ++i) indices[i] = p[i];
}
template <typename Index>
DL_ALWAYS_INLINE void StoreIndices(int32_t index, Index* p) {
  *p = static_cast<Index>(index);
}
template <typename Index>
DL_ALWAYS_INLINE void LoadIndices(const Index* p, int32_t& index) {
  index = *p;
}

// One window. `begin` and `end` are the positions along each axis that are inside of the input.
struct Window {
  std::array<int64_t, 3> begin, end;
  int64_t input = 0;   // index in x of the first position of the window, even if it is outside
  int64_t output = 0;  // index in y
  int64_t Inside() const { return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]); }
};

DL_ALWAYS_INLINE void SetRange(const PooledPlanes& s, int axis, int64_t o, Window& window) {
  const PooledAxis& a = s.axes[axis];
  const int64_t first = o * a.stride - a.pad;
  window.begin[axis] = std::max<int64_t>(0, -first);
  window.end[axis] = std::max(window.begin[axis], std::min(a.kernel, a.in - first));
}

// Calls visit(index in x, index of the position in the window) for each position of the window that
// is inside of the input.
template <typename Visit>
DL_ALWAYS_INLINE void ForEachTap(const PooledPlanes& s, const Window& window, const Visit& visit) {
  const auto& [depth, height, width] = s.axes;
  for (int64_t d = window.begin[0]; d < window.end[0]; ++d) {
    for (int64_t h = window.begin[1]; h < window.end[1]; ++h) {
      const int64_t row = window.input + (d * height.in + h) * width.in * s.inner;
      const int64_t tap = (d * height.kernel + h) * width.kernel;
      for (int64_t w = window.begin[2]; w < window.end[2]; ++w)
        visit(row + w * s.inner, static_cast<int32_t>(tap + w));
    }
  }
}

// Calls run.template operator()<Values>(window) for all values of a pixel. Computes some values
// twice if Run::kMayRepeat, which means that a second call for a value has no effect.
template <typename Run>
DL_ALWAYS_INLINE void ForAllValues(int64_t inner, Window window, const Run& run) {
  constexpr int kTwo = 2 * kWidth;
  int64_t i = 0;
  for (; i + kTwo <= inner; i += kTwo, window.input += kTwo, window.output += kTwo)
    run.template operator()<Values<Eight, 2>>(window);
  for (; i + kWidth <= inner; i += kWidth, window.input += kWidth, window.output += kWidth)
    run.template operator()<Values<Eight, 1>>(window);
  if (Run::kMayRepeat && i < inner && inner >= kWidth) {
    // The last vector, of which some values were computed before.
    const int64_t back = i + kWidth - inner;
    window.input -= back;
    window.output -= back;
    return run.template operator()<Values<Eight, 1>>(window);
  }
  for (; i + kHalf <= inner; i += kHalf, window.input += kHalf, window.output += kHalf)
    run.template operator()<Values<Four, 1>>(window);
  for (; i < inner; ++i, ++window.input, ++window.output)
    run.template operator()<Values<float, 1>>(window);
}

// Calls run.template operator()<Values>(window) for all values of all outputs of a plane.
template <typename Run>
DL_ALWAYS_INLINE void ForEachWindow(const Run& run) {
  const PooledPlanes& s = run.s;
  const auto& [depth, height, width] = s.axes;
  Window window;
  for (int64_t d = 0; d < depth.out; ++d) {
    SetRange(s, 0, d, window);
    for (int64_t h = 0; h < height.out; ++h) {
      SetRange(s, 1, h, window);
      const int64_t top =
          (d * depth.stride - depth.pad) * height.in + h * height.stride - height.pad;
      for (int64_t w = 0; w < width.out; ++w) {
        SetRange(s, 2, w, window);
        window.input = (top * width.in + w * width.stride - width.pad) * s.inner;
        ForAllValues(s.inner, window, run);
        window.output += s.inner;
      }
    }
  }
}

struct NoIndex {};  // positions are not stored

template <typename Index>
struct LargestOfWindow {
  static constexpr bool kMayRepeat = true;
  PooledPlanes s;  // a copy, which no store can change
  const float* x;
  float* y;
  Index* where;

  template <typename Of>
  DL_ALWAYS_INLINE void operator()(const Window& window) const {
    using Numbers = typename Of::Numbers;
    using Indices = typename Of::Indices;
    Numbers best[Of::kCount];
    Indices at[Of::kCount];
    for (int i = 0; i < Of::kCount; ++i) {
      best[i] = Numbers{} + std::numeric_limits<float>::lowest();
      at[i] = Indices{};
    }
    ForEachTap(
        s, window, [&](int64_t place, int32_t tap) __attribute__((always_inline)) {
          for (int i = 0; i < Of::kCount; ++i) {
            Numbers next;
            LoadValues(x + place + i * Of::kSize, next);
            at[i] = best[i] < next ? Indices{} + tap : at[i];
            best[i] = best[i] < next ? next : best[i];
          }
        });
    for (int i = 0; i < Of::kCount; ++i) {
      const int64_t place = window.output + i * Of::kSize;
      StoreValues(best[i], y + place);
      if constexpr (!std::is_same_v<Index, NoIndex>) StoreIndices(at[i], where + place);
    }
  }
};

struct Means {
  static constexpr bool kMayRepeat = true;
  PooledPlanes s;
  PooledCount count;
  const float* x;
  float* y;

  template <typename Of>
  DL_ALWAYS_INLINE void operator()(const Window& window) const {
    typename Of::Numbers sum[Of::kCount] = {};
    ForEachTap(
        s, window, [&](int64_t place, int32_t) __attribute__((always_inline)) {
          for (int i = 0; i < Of::kCount; ++i) {
            typename Of::Numbers next;
            LoadValues(x + place + i * Of::kSize, next);
            sum[i] += next;
          }
        });
    const auto divisor =
        static_cast<float>(count == PooledCount::kWindow ? s.Taps() : window.Inside());
    for (int i = 0; i < Of::kCount; ++i) {
      StoreValues(sum[i] / divisor, y + window.output + i * Of::kSize);
    }
  }
};

// How often windows contain a pixel.
enum class Cover : uint8_t {
  kOnce,  // each pixel is in exactly one window
  kAtMostOnce,
  kOften,
};

Cover CoverOf(const PooledPlanes& s) {
  bool all = true;
  for (const PooledAxis& axis : s.axes) {
    if (axis.kernel > axis.stride && axis.out > 1) return Cover::kOften;
    const int64_t end = (axis.out - 1) * axis.stride - axis.pad + axis.kernel;
    all &= (axis.kernel == axis.stride || axis.out == 1) && axis.pad >= 0 && end >= axis.in;
  }
  return all ? Cover::kOnce : Cover::kAtMostOnce;
}

// Adds to a pixel's gradient, or sets it if only one window contains the pixel. Both give equal
// bits: a sum that begins with +0 is never -0.
template <bool kSets, typename Numbers>
DL_ALWAYS_INLINE void Give(const Numbers& gradient, float* p) {
  Numbers sum = {};
  if (!kSets) std::memcpy(&sum, p, sizeof(sum));
  sum += gradient;
  StoreValues(sum, p);
}

template <bool kSets, typename Index>
struct LargestGradient {
  static constexpr bool kMayRepeat = kSets;
  PooledPlanes s;
  const float* dy;
  const Index* where;
  float* dx;

  template <typename Of>
  DL_ALWAYS_INLINE void operator()(const Window& window) const {
    using Numbers = typename Of::Numbers;
    Numbers gradient[Of::kCount];
    typename Of::Indices at[Of::kCount];
    for (int i = 0; i < Of::kCount; ++i) {
      const int64_t place = window.output + i * Of::kSize;
      LoadValues(dy + place, gradient[i]);
      LoadIndices(where + place, at[i]);
    }
    ForEachTap(
        s, window, [&](int64_t place, int32_t tap) __attribute__((always_inline)) {
          for (int i = 0; i < Of::kCount; ++i) {
            const Numbers given = at[i] == tap ? gradient[i] : Numbers{};
            Give<kSets>(given, dx + place + i * Of::kSize);
          }
        });
  }
};

template <bool kSets>
struct MeansGradient {
  static constexpr bool kMayRepeat = kSets;
  PooledPlanes s;
  PooledCount count;
  const float* dy;
  float* dx;

  template <typename Of>
  DL_ALWAYS_INLINE void operator()(const Window& window) const {
    const auto divisor =
        static_cast<float>(count == PooledCount::kWindow ? s.Taps() : window.Inside());
    typename Of::Numbers share[Of::kCount];
    for (int i = 0; i < Of::kCount; ++i) {
      LoadValues(dy + window.output + i * Of::kSize, share[i]);
      share[i] /= divisor;
    }
    ForEachTap(
        s, window, [&](int64_t place, int32_t) __attribute__((always_inline)) {
          for (int i = 0; i < Of::kCount; ++i) Give<kSets>(share[i], dx + place + i * Of::kSize);
        });
  }
};

template <typename Index>
DL_ALWAYS_INLINE void ComputeLargestGradient(const PooledPlanes& s, const float* dy,
                                             const Index* where, float* dx) {
  const Cover cover = CoverOf(s);
  if (cover != Cover::kOnce) std::fill_n(dx, s.InputSize(), 0.0f);
  if (cover == Cover::kOften) {
    ForEachWindow(LargestGradient<false, Index>{s, dy, where, dx});
  } else {
    ForEachWindow(LargestGradient<true, Index>{s, dy, where, dx});
  }
}

}  // namespace

DL_ISA_CLONES void LargestInWindows(const PooledPlanes& shape, const float* x, float* y) {
  ForEachWindow(LargestOfWindow<NoIndex>{shape, x, y, nullptr});
}
DL_ISA_CLONES void LargestInWindows(const PooledPlanes& shape, const float* x, float* y,
                                    uint8_t* where) {
  ForEachWindow(LargestOfWindow<uint8_t>{shape, x, y, where});
}
DL_ISA_CLONES void LargestInWindows(const PooledPlanes& shape, const float* x, float* y,
                                    uint16_t* where) {
  ForEachWindow(LargestOfWindow<uint16_t>{shape, x, y, where});
}

DL_ISA_CLONES void LargestInWindowsGradient(const PooledPlanes& shape, const float* dy,
                                            const uint8_t* where, float* dx) {
  ComputeLargestGradient(shape, dy, where, dx);
}
DL_ISA_CLONES void LargestInWindowsGradient(const PooledPlanes& shape, const float* dy,
                                            const uint16_t* where, float* dx) {
  ComputeLargestGradient(shape, dy, where, dx);
}

DL_ISA_CLONES void MeansInWindows(const PooledPlanes& shape, PooledCount count, const float* x,
                                  float* y) {
  ForEachWindow(Means{shape, count, x, y});
}

DL_ISA_CLONES void MeansInWindowsGradient(const PooledPlanes& shape, PooledCount count,
                                          const float* dy, float* dx) {
  const Cover cover = CoverOf(shape);
  if (cover != Cover::kOnce) std::fill_n(dx, shape.InputSize(), 0.0f);
  if (cover == Cover::kOften) {
    ForEachWindow(MeansGradient<false>{shape, count, dy, dx});
  } else {
    ForEachWindow(MeansGradient<true>{shape, count, dy, dx});
  }
}

}  // namespace dl::nn
