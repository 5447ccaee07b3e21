#include "nn/backend/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/compute_scope.h"
#include "nn/kernels/row_kernels.h"
#include "nn/sum_of_squares.h"

namespace dl::nn {
namespace {

using testing::Each;

struct Seen {
  std::vector<int> calls;  // for each index
  std::vector<IndexRange> parts;
  std::vector<std::thread::id> threads;  // of the parts
  std::vector<uint32_t> modes;           // of the parts
};

Seen Visit(const Loop& loop) {
  Seen seen{.calls = std::vector<int>(loop.count)};
  Mutex mutex;
  ParallelFor(loop, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++seen.calls[i];
    const MutexLock lock(mutex);
    seen.parts.push_back({begin, end});
    seen.threads.push_back(std::this_thread::get_id());
    seen.modes.push_back(_mm_getcsr());
  });
  return seen;
}

class ParallelForTest : public testing::TestWithParam<int> {};

TEST_P(ParallelForTest, EachIndexIsInOnePartThatBeginsAtAMultipleOfTheGrain) {
  const ComputeScope scope(GetParam());
  const LoopThreads all(GetParam(), 1);
  for (const int64_t grain : {1, 16, 1024}) {
    for (const int64_t grains : {0, 1, 2, 3, 4, 5, 6, 7, 31}) {
      for (const int64_t more : {-1, 0, 1}) {
        const int64_t count = grains * grain + more;
        if (count < 0) continue;
        const Seen seen = Visit({.count = count, .grain = grain});
        EXPECT_THAT(seen.calls, Each(1)) << count << " " << grain;
        for (const IndexRange& part : seen.parts) {
          EXPECT_EQ(part.begin % grain, 0) << count << " " << grain;
          EXPECT_LT(part.begin, part.end);
        }
      }
    }
  }
}

TEST_P(ParallelForTest, LongLoopUsesAllThreadsInTheModeOfKernels) {
  const ComputeScope scope(GetParam());
  constexpr uint32_t kOtherMode = 0x1F80;  // that of a new process
  ForElements(1 << 20, [](int64_t, int64_t) { _mm_setcsr(kOtherMode); });
  const FloatingPointMode mode;  // a loop that is not divided keeps the mode of its thread
  const Seen seen = Visit({.count = 1 << 20, .grain = 1024});
  EXPECT_EQ(static_cast<int>(seen.parts.size()), GetParam());
  EXPECT_THAT(seen.modes, Each(kMxcsr));
  std::vector<std::thread::id> threads = seen.threads;
  std::ranges::sort(threads);
  EXPECT_EQ(std::unique(threads.begin(), threads.end()) - threads.begin(), GetParam());
}

TEST_P(ParallelForTest, SumOfSquaresHasTheBitsOfTheKernel) {
  const ComputeScope scope(GetParam());
  std::vector<float> x((1 << 21) + 77);  // more than two batches of chunks
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i)) * 1e3f;
  for (const size_t n : {size_t{0}, size_t{1}, size_t{1023}, size_t{40000}, x.size()}) {
    for (const float bound : {400.0f, std::numeric_limits<float>::infinity()}) {
      EXPECT_EQ(ParallelSumOfSquares(std::span(x).first(n), bound),
                SumOfSquares(x.data(), static_cast<int64_t>(n), bound))
          << n;
    }
  }
}

TEST_P(ParallelForTest, SumOfSquaresInPiecesHasTheBitsOfOnePiece) {
  const ComputeScope scope(GetParam());
  std::vector<float> x(300000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i)) * 1e3f;
  const double whole = ParallelSumOfSquares(x, 400.0f);
  for (const size_t step : {1u, 7u, 1000u, 1024u, 1025u, 40000u, 299999u}) {
    SumOfSquaresInPieces sum(400.0f);
    for (size_t first = 0; first < x.size(); first += step)
      sum.Add(std::span(x).subspan(first, std::min(step, x.size() - first)));
    EXPECT_EQ(sum.Total(), whole) << "in pieces of " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelForTest, testing::Values(1, 2, 3, 5));

TEST(ParallelFor, OutsideOfScopeIsOnePartOnTheCaller) {
  { const ComputeScope scope(3); }
  const Seen seen = Visit({.count = 1 << 20});
  EXPECT_EQ(seen.parts.size(), 1u);
  EXPECT_THAT(seen.threads, Each(std::this_thread::get_id()));
}

TEST(ParallelFor, ShortLoopIsOnePartOnTheCaller) {
  const ComputeScope scope(3);
  const LoopThreads awake(3);  // a ComputeScope may have threads that sleep
  EXPECT_EQ(Visit({.count = kLeastParallelFloats - 1}).parts.size(), 1u);
  EXPECT_EQ(Visit({.count = kLeastParallelFloats}).parts.size(), 3u);
  EXPECT_EQ(Visit({.count = 4, .floats = kLeastParallelFloats / 4}).parts.size(), 3u);
  EXPECT_EQ(Visit({.count = 1, .floats = 1 << 20}).parts.size(), 1u);
}

TEST(ParallelFor, LoopInABodyIsOnePartOnItsThread) {
  const ComputeScope scope(3);
  std::atomic<int64_t> visited = 0, strangers = 0, parts = 0;
  ForRows(6, 1 << 20, [&](int64_t begin, int64_t end) {
    const std::thread::id outer = std::this_thread::get_id();
    for (int64_t r = begin; r < end; ++r) {
      ForElements(1 << 20, [&](int64_t first, int64_t last) {
        visited += last - first;
        strangers += std::this_thread::get_id() != outer;
        ++parts;
      });
    }
  });
  EXPECT_EQ(visited, 6 << 20);
  EXPECT_EQ(strangers, 0);
  EXPECT_EQ(parts, 6);
  // Later loops of this thread are divided again.
  EXPECT_EQ(Visit({.count = 1 << 20}).parts.size(), 3u);
}

TEST(ParallelFor, InnerScopeRestoresTheNumberOfThreads) {
  const ComputeScope scope(3);
  { const ComputeScope inner(2); }
  EXPECT_EQ(Visit({.count = 1 << 20}).parts.size(), 3u);
}

TEST(ParallelFor, CopyCopiesEachValue) {
  const ComputeScope scope(2);
  std::vector<float> from(50'000), to(50'001, -1.0f);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  CopyFloats(from.data(), 50'000, to.data());
  from.push_back(-1);
  EXPECT_EQ(from, to);
}

}  // namespace
}  // namespace dl::nn
