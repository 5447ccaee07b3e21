#include "nn/backend/compute_scope.h"

#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace dl::nn {
namespace {

// To wake a thread that sleeps takes longer than a short loop, and the woken thread often begins on
// the core of the calling thread, which it then has to leave.
constexpr int64_t kLeastFloatsToWakeThreads = 1 << 18;

// Threads of all scopes of the process.
std::atomic<int> threads_in_scopes{0};

// Returns whether OpenMP threads sleep as soon as they have nothing to do, as libgomp reads its
// environment.
bool ThreadsSleepAtOnce() {
  static const bool sleep = [] {
    const auto is = [](const char* name, std::string_view value) {
      const char* const set = std::getenv(name);
      return set != nullptr && value == set;
    };
    if (std::getenv("GOMP_SPINCOUNT") != nullptr) return is("GOMP_SPINCOUNT", "0");
    return is("OMP_WAIT_POLICY", "passive") || is("OMP_WAIT_POLICY", "PASSIVE");
  }();
  return sleep;
}

// libgomp's threads also spin only briefly if the process has more threads than cores.
int64_t LeastFloats() {
  const bool crowded = threads_in_scopes > omp_get_num_procs();
  return crowded || ThreadsSleepAtOnce() ? kLeastFloatsToWakeThreads : kLeastParallelFloats;
}

}  // namespace

ComputeScope::Share::Share(int count) : threads(count) { threads_in_scopes += threads; }
ComputeScope::Share::~Share() { threads_in_scopes -= threads; }

ComputeScope::ComputeScope(int threads)
    : threads_before_(omp_get_max_threads()), share_(threads), loops_(threads, LeastFloats()) {
  omp_set_num_threads(threads);
  omp_set_dynamic(0);  // a smaller team than requested would divide a product differently
  if (threads > 1) {
#pragma omp parallel
    _mm_setcsr(kMxcsr);
  }
}

ComputeScope::~ComputeScope() { omp_set_num_threads(threads_before_); }

}  // namespace dl::nn
