#include "nn/backend/parallel_for.h"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "nn/kernels/floating_point_mode.h"

namespace dl::nn {
namespace {

// For loops of this thread.
constinit thread_local int thread_count = 1;
constinit thread_local int64_t least = kLeastParallelFloats;

}  // namespace

LoopThreads::LoopThreads(int threads, int64_t least_floats)
    : threads_before_(thread_count), least_floats_before_(least) {
  thread_count = threads;
  least = least_floats;
}

LoopThreads::~LoopThreads() {
  thread_count = threads_before_;
  least = least_floats_before_;
}

bool IsDivided(const Loop& loop) {
  return thread_count > 1 && loop.count > loop.grain && loop.count * loop.floats >= least;
}

IndexRange PartOf(const Loop& loop, int64_t part, int64_t parts) {
  const int64_t grains = (loop.count + loop.grain - 1) / loop.grain;
  const auto bound = [&](int64_t number) {
    return std::min(loop.count, grains * number / parts * loop.grain);
  };
  return {bound(part), bound(part + 1)};
}

namespace {

// Orders what threads do before and after. libgomp's own barriers suffice, but ThreadSanitizer does
// not see them. Not inlined into functions that it does not instrument.
__attribute__((noinline)) void Synchronize(std::atomic<int>& order) {
  order.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace

// Always uses the whole team, because OpenMP would end the threads that a smaller team leaves over.
// Not instrumented by ThreadSanitizer, because OpenMP's threads read the variables of this function
// before they can be synchronized.
__attribute__((no_sanitize("thread"))) void RunParts(const Loop& loop,
                                                     void (*call)(const void*, int64_t, int64_t),
                                                     const void* body) {
  const int threads = thread_count;
  const LoopThreads inside(1);  // loops in the body run on the calling thread
  std::atomic<int> order{0};
  Synchronize(order);
#pragma omp parallel num_threads(threads)
  {
    Synchronize(order);
    // A thread that OpenMP has started since the ComputeScope began may have another mode.
    _mm_setcsr(kMxcsr);
    const IndexRange part = PartOf(loop, omp_get_thread_num(), omp_get_num_threads());
    if (part.size() > 0) call(body, part.begin, part.end);
    Synchronize(order);
  }
  Synchronize(order);
}

void CopyFloats(const float* from, int64_t n, float* to) {
  ForElements(n,
              [=](int64_t begin, int64_t end) { std::copy(from + begin, from + end, to + begin); });
}

}  // namespace dl::nn
