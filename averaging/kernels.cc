#include "averaging/kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace dl::averaging {
namespace {

#define DL_INLINE inline __attribute__((always_inline))

// Adding 1.5 * 2^52 gives the last bit of a double the value 1. The addition itself then rounds to
// the nearest integer, ties to even, and the low bits hold the integer. Correct for |x| <= 2^51;
// values here are at most 2^41. Unlike a conversion instruction, this works in every vector set.
constexpr double kRounder = 0x1.8p52;

DL_INLINE int64_t RoundToInteger(double x) {
  return std::bit_cast<int64_t>(x + kRounder) - std::bit_cast<int64_t>(kRounder);
}

// Converts int64 to double, correctly rounded, with operations that every vector set has. Both
// halves become doubles exactly, and one addition rounds.
DL_INLINE double ToDouble(int64_t x) {
  const uint64_t bits = static_cast<uint64_t>(x) ^ (uint64_t{1} << 63);
  const double high = std::bit_cast<double>((bits >> 32) | std::bit_cast<uint64_t>(0x1p84));
  const double low = std::bit_cast<double>((bits & 0xffffffff) | std::bit_cast<uint64_t>(0x1p52));
  return (high - (0x1p84 + 0x1p63)) + (low - 0x1p52);
}
DL_INLINE double ToDouble(Int128 x) { return static_cast<double>(x); }

DL_INLINE uint32_t LargestBitsLoop(std::span<const float> x) {
  const float* p = x.data();
  const int64_t n = x.size();
  int32_t largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::bit_cast<int32_t>(p[i]) & 0x7fffffff);
  }
  return static_cast<uint32_t>(largest);
}

DL_INLINE void AddLoop(std::span<const float> x, Term term, int64_t* __restrict sums) {
  const float* __restrict p = x.data();
  const int64_t n = x.size();
  for (int64_t i = 0; i < n; ++i) {
    sums[i] += RoundToInteger(static_cast<double>(p[i]) * term.scale) * term.weight;
  }
}

template <typename Sum>
DL_INLINE double Mean(Sum sum, Quotient quotient) {
  return ToDouble(sum) / quotient.weight_sum * quotient.step;
}

template <typename Sum>
DL_INLINE void FinishLoop(const Sum* __restrict sums, Quotient quotient, std::span<float> out) {
  float* __restrict p = out.data();
  const int64_t n = out.size();
  for (int64_t i = 0; i < n; ++i) p[i] = static_cast<float>(Mean(sums[i], quotient));
}

#define DL_KERNELS(name, attributes)                                                             \
  attributes uint32_t LargestBits##name(std::span<const float> x) { return LargestBitsLoop(x); } \
  attributes void Add##name(std::span<const float> x, Term term, int64_t* sums) {                \
    AddLoop(x, term, sums);                                                                      \
  }                                                                                              \
  attributes void Finish##name(const int64_t* sums, Quotient quotient, std::span<float> out) {   \
    FinishLoop(sums, quotient, out);                                                             \
  }

DL_KERNELS(Portable, )
#if defined(__x86_64__)
DL_KERNELS(Avx2, __attribute__((target("avx2"))))
#if defined(__clang__)  // clang does not know prefer-vector-width
#define DL_WIDE ""
#else
#define DL_WIDE ",prefer-vector-width=512"
#endif
DL_KERNELS(Avx512, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl" DL_WIDE))))
#endif

// Kernels are selected at run time by hand instead of by target_clones, because the ifunc resolvers
// of target_clones run before a sanitizer is initialized.
constexpr Kernels kAll[] = {
    {"portable", LargestBitsPortable, AddPortable, FinishPortable},
#if defined(__x86_64__)
    {"avx2", LargestBitsAvx2, AddAvx2, FinishAvx2},
    {"avx512", LargestBitsAvx512, AddAvx512, FinishAvx512},
#endif
};

size_t CountSupported() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return 1;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return avx512 ? 3 : 2;
#else
  return 1;
#endif
}

DL_INLINE double SecondMoment(float mean, float variance) {
  const double m = mean;
  return static_cast<double>(variance) + m * m;  // m * m is exact: 48 bits
}

template <typename Sum>
void AddSecondMomentLoop(MomentsView moments, Term term, Sum* sums) {
  for (size_t i = 0; i < moments.mean.size(); ++i) {
    const double s = SecondMoment(moments.mean[i], moments.variance[i]);
    sums[i] += static_cast<Sum>(RoundToInteger(s * term.scale)) * term.weight;
  }
}

template <typename Sum>
int64_t FinishVarianceLoop(const PooledSums<Sum>& sums, std::span<float> out) {
  int64_t beyond = -1;
  for (size_t i = 0; i < out.size(); ++i) {
    const double mean = Mean(sums.mean[i], sums.mean_quotient);
    const double variance = Mean(sums.second_moment[i], sums.second_moment_quotient) - mean * mean;
    out[i] = variance > 0 ? static_cast<float>(variance) : 0.0f;
    if (beyond < 0 && out[i] > std::numeric_limits<float>::max()) beyond = i;
  }
  return beyond;
}

}  // namespace

std::span<const Kernels> SupportedKernels() {
  static const size_t count = CountSupported();
  return std::span(kAll).first(count);
}

const Kernels& BestKernels() { return SupportedKernels().back(); }

void AddWide(std::span<const float> x, Term term, Int128* sums) {
  for (size_t i = 0; i < x.size(); ++i) {
    sums[i] +=
        static_cast<Int128>(RoundToInteger(static_cast<double>(x[i]) * term.scale)) * term.weight;
  }
}

void FinishWide(const Int128* sums, Quotient quotient, std::span<float> out) {
  FinishLoop(sums, quotient, out);
}

double FloatFromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

double LargestSecondMoment(std::span<const float> mean, std::span<const float> variance) {
  double largest = 0;
  for (size_t i = 0; i < mean.size(); ++i) {
    largest = std::max(largest, std::fabs(SecondMoment(mean[i], variance[i])));
  }
  return largest;
}

void AddSecondMoment(MomentsView moments, Term term, int64_t* sums) {
  AddSecondMomentLoop(moments, term, sums);
}
void AddSecondMoment(MomentsView moments, Term term, Int128* sums) {
  AddSecondMomentLoop(moments, term, sums);
}

int64_t FinishVariance(PooledSums<int64_t> sums, std::span<float> out) {
  return FinishVarianceLoop(sums, out);
}
int64_t FinishVariance(PooledSums<Int128> sums, std::span<float> out) {
  return FinishVarianceLoop(sums, out);
}

void MergeSums(const int64_t* from, int64_t n, int64_t* into) {
  for (int64_t i = 0; i < n; ++i) into[i] += from[i];
}

}  // namespace dl::averaging
