#include "base/freed_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "base/thread.h"
#include "tests/support/process_figures.h"

namespace dl {
namespace {

constexpr int64_t kMib = 1 << 20;

void UseAndFree(int64_t bytes, int blocks) {
  std::vector<std::vector<char>> used;
  for (int i = 0; i < blocks; ++i) used.emplace_back(bytes, 'x');
}

TEST(FreedMemoryTest, MemoryIsReturnedToTheSystem) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer has an allocator of its own";
#endif
  BoundFreedMemory();
  const int64_t before = test::ProcessStatus(getpid(), "VmRSS");
  std::vector<Thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back("user", [] {
      // From then on, glibc alone would treat blocks of this size as small.
      UseAndFree(31 * kMib, 1);
      UseAndFree(kMib, 50);
    });
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_LT(test::ProcessStatus(getpid(), "VmRSS") - before, 80 * kMib);
}

}  // namespace
}  // namespace dl
