#include "bench/steps/machine_speed.h"

#include <immintrin.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"

namespace dl::bench {
namespace {

constexpr int kChains = 16;  // independent sums: enough for two units with a latency of 4 cycles
constexpr int64_t kRounds = 4'000'000;
constexpr int64_t kOperationsPerLane = 2 * kChains * kRounds;  // a multiply-add counts as two

// Returns the sum of the chains, so that the compiler keeps them.
__attribute__((target("avx512f"))) float MultiplyAddsAvx512() {
  const __m512 factor = _mm512_set1_ps(0.999999f), term = _mm512_set1_ps(1e-6f);
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = term;
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 16
    for (int chain = 0; chain < kChains; ++chain)
      sums[chain] = _mm512_fmadd_ps(sums[chain], factor, term);
  }
  float total = 0;
  for (const __m512& sum : sums) {
    alignas(64) float lanes[16];
    _mm512_store_ps(lanes, sum);
    for (const float lane : lanes) total += lane;
  }
  return total;
}

// Has 16 registers in all, two of them for the factors.
constexpr int kChainsAvx2 = 12;

__attribute__((target("avx2,fma"))) float MultiplyAddsAvx2() {
  const __m256 factor = _mm256_set1_ps(0.999999f), term = _mm256_set1_ps(1e-6f);
  __m256 sums[kChainsAvx2];
  for (__m256& sum : sums) sum = term;
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int chain = 0; chain < kChainsAvx2; ++chain)
      sums[chain] = _mm256_fmadd_ps(sums[chain], factor, term);
  }
  float total = 0;
  for (const __m256& sum : sums) {
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, sum);
    for (const float lane : lanes) total += lane;
  }
  return total;
}

// c = a + s b, with the narrower vectors of AVX2 for both levels: memory is the limit.
__attribute__((target("avx2,fma"))) void Triad(const float* a, const float* b, float* c,
                                               int64_t values) {
  const __m256 scale = _mm256_set1_ps(0.5f);
  for (int64_t i = 0; i < values; i += 8)
    _mm256_storeu_ps(c + i, _mm256_fmadd_ps(scale, _mm256_loadu_ps(b + i), _mm256_loadu_ps(a + i)));
}

volatile float kept_result;  // a result that the compiler cannot leave out

// Returns the largest rate of several calls of `work`, which does `amount` of work.
double BestRate(int repeats, double amount, const std::function<void()>& work) {
  double best = 0;
  for (int i = 0; i < repeats; ++i) {
    const Duration begin = ThreadTime();
    work();
    best = std::max(best, amount / Seconds(ThreadTime() - begin));
  }
  return best;
}

double PeakOf(nn::Isa isa) {
  constexpr int kRepeats = 8;
  if (isa == nn::Isa::kAvx2) {
    return BestRate(kRepeats, 8.0 * kOperationsPerLane * kChainsAvx2 / kChains,
                    [] { kept_result = MultiplyAddsAvx2(); });
  }
  return BestRate(kRepeats, 16.0 * kOperationsPerLane, [] { kept_result = MultiplyAddsAvx512(); });
}

// Returns bytes a second of triads on three arrays that have `bytes` bytes together.
double TriadRate(int64_t bytes) {
  constexpr int64_t kBytesOfRepeat = int64_t{128} << 20;  // so that reading the clock costs nothing
  constexpr int kRepeats = 12;
  const int64_t values = bytes / 3 / static_cast<int64_t>(sizeof(float)) / 8 * 8;
  const int64_t triads = std::max<int64_t>(1, kBytesOfRepeat / bytes);
  std::vector<float> a(values, 1.0f), b(values, 2.0f), c(values);
  const double moved = 3.0 * sizeof(float) * static_cast<double>(values * triads);
  return BestRate(kRepeats, moved, [&] {
    for (int64_t i = 0; i < triads; ++i) Triad(a.data(), b.data(), c.data(), values);
    kept_result = c[values / 2];
  });
}

constexpr int64_t kMemoryBytes = int64_t{3} << 28;  // larger than the caches of one core

int64_t CacheBytes() {
  constexpr int64_t kUnknown = 1 << 20;
  const int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return (l2 > 0 ? l2 : kUnknown) / 2;
}

// Returns the sum of the results of `measure` on each of `threads` new threads.
template <typename Measure>
double SumOverThreads(int threads, const Measure& measure) {
  std::vector<double> rates(threads);
  {
    std::vector<Thread> running;
    for (double& rate : rates) running.emplace_back("measure", [&] { rate = measure(); });
  }
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace

MachineSpeed MeasureMachine(nn::Isa isa, int threads) {
  return {.peak = SumOverThreads(threads, [&] { return PeakOf(isa); }),
          .memory_bandwidth = SumOverThreads(threads, [] { return TriadRate(kMemoryBytes); }),
          .cache_bandwidth = SumOverThreads(threads, [] { return TriadRate(CacheBytes()); })};
}

double MeasureBandwidth(double bytes, int threads) {
  const auto each = static_cast<int64_t>(bytes) / threads;
  const int64_t measured = std::clamp(each, CacheBytes(), kMemoryBytes);
  return SumOverThreads(threads, [&] { return TriadRate(measured); });
}

}  // namespace dl::bench
