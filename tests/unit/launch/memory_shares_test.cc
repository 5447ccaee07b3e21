// How an executor divides its --memory.
#include "base/limits.h"
#include "gtest/gtest.h"
#include "launch/clusters/executor_identity.h"

namespace dl::launch {
namespace {

TEST(MemoryShares, SharesSumToTotal) {
  for (const int64_t bytes : {int64_t{1} << 20, int64_t{512} << 20, int64_t{64} << 30}) {
    const MemoryShares shares = DivideMemory(bytes);
    EXPECT_EQ(shares.units + shares.results + shares.states + shares.blocks, bytes);
    EXPECT_EQ(shares.units, bytes / 2);
    EXPECT_EQ(shares.results, bytes / 4);
    EXPECT_GT(shares.states, 0);
    EXPECT_LE(shares.blocks, limits::kDecodedBlockCacheBytes);
  }
}

}  // namespace
}  // namespace dl::launch
