#include "speed/machine_speed.h"

#include <immintrin.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"

namespace dl::speed {
namespace {

constexpr int kChains = 16;  // independent sums: enough for two units with a latency of 4 cycles
constexpr int64_t kRounds = 4'000'000;
constexpr int64_t kOperationsPerLane = 2 * kChains * kRounds;  // a multiply-add counts as two

__attribute__((target("avx512f"))) float TotalOf(const __m512 (&sums)[kChains]) {
  float total = 0;
  for (const __m512& sum : sums) {
    alignas(64) float lanes[16];
    _mm512_store_ps(lanes, sum);
    for (const float lane : lanes) total += lane;
  }
  return total;
}

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
  return TotalOf(sums);
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

// Each lane adds two products.
__attribute__((target("avx512f,avx512bf16"))) float MultiplyAddsBf16() {
  const __m512bh factors = (__m512bh)_mm512_set1_epi16(0x3f80);  // 1
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(1);
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 16
    for (int chain = 0; chain < kChains; ++chain)
      sums[chain] = _mm512_dpbf16_ps(sums[chain], factors, factors);
  }
  return TotalOf(sums);
}

// Products of tiles, 16 x 32 by 32 x 16, into four sums.
constexpr int64_t kTileRounds = 250'000;
constexpr double kOperationsOfTiles = 4.0 * 2 * 16 * 16 * 32 * kTileRounds;

__attribute__((target("amx-tile,amx-bf16"))) float MultiplyAddsTiles() {
  constexpr int kTiles = 8, kRows = 16, kRowBytes = 64;
  struct {  // the operand of LDTILECFG
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};
  } shapes;
  for (int tile = 0; tile < kTiles; ++tile) {
    shapes.row_bytes[tile] = kRowBytes;
    shapes.rows[tile] = kRows;
  }
  alignas(64) float sums[kRows * kRowBytes / sizeof(float)] = {};
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, sums, kRowBytes);
  _tile_loadd(5, sums, kRowBytes);
  _tile_loadd(6, sums, kRowBytes);
  _tile_loadd(7, sums, kRowBytes);
  for (int64_t round = 0; round < kTileRounds; ++round) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, kRowBytes);
  _tile_release();
  return sums[0];
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

constexpr int kRepeats = 8;  // of a peak

double PeakOf(nn::Isa isa) {
  if (isa == nn::Isa::kAvx2) {
    return BestRate(kRepeats, 8.0 * kOperationsPerLane * kChainsAvx2 / kChains,
                    [] { kept_result = MultiplyAddsAvx2(); });
  }
  return BestRate(kRepeats, 16.0 * kOperationsPerLane, [] { kept_result = MultiplyAddsAvx512(); });
}

double Bf16PeakOf(nn::Isa isa) {
  if (isa == nn::Isa::kAmx)
    return BestRate(kRepeats, kOperationsOfTiles, [] { kept_result = MultiplyAddsTiles(); });
  if (isa != nn::Isa::kAvx512Bf16) return 0;
  return BestRate(kRepeats, 2 * 16.0 * kOperationsPerLane,
                  [] { kept_result = MultiplyAddsBf16(); });
}

// Returns bytes a second of triads on three arrays that have `bytes` bytes together.
double TriadRate(int64_t bytes) {
  constexpr int64_t kBytesOfRepeat = int64_t{128} << 20;  // so that reading the clock costs nothing
  constexpr int kTriadRepeats = 12;
  const int64_t values = bytes / 3 / static_cast<int64_t>(sizeof(float)) / 8 * 8;
  const int64_t triads = std::max<int64_t>(1, kBytesOfRepeat / bytes);
  std::vector<float> a(values, 1.0f), b(values, 2.0f), c(values);
  const double moved = 3.0 * sizeof(float) * static_cast<double>(values * triads);
  return BestRate(kTriadRepeats, moved, [&] {
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
          .bf16_peak = SumOverThreads(threads, [&] { return Bf16PeakOf(isa); }),
          .memory_bandwidth = SumOverThreads(threads, [] { return TriadRate(kMemoryBytes); }),
          .cache_bandwidth = SumOverThreads(threads, [] { return TriadRate(CacheBytes()); })};
}

double MeasureBandwidth(double bytes, int threads) {
  const auto each = static_cast<int64_t>(bytes) / threads;
  const int64_t measured = std::clamp(each, CacheBytes(), kMemoryBytes);
  return SumOverThreads(threads, [&] { return TriadRate(measured); });
}

}  // namespace dl::speed
