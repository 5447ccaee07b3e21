#include "base/float_buffer_pool.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/status_matchers.h"

namespace dl {
namespace {

std::shared_ptr<FloatBuffer> MustTake(FloatBufferPool& pool, int64_t count) {
  auto taken = pool.Take(count);
  EXPECT_TRUE(taken.ok()) << taken.status();
  return *std::move(taken);
}

TEST(FloatBufferPool, ReturnedBufferIsReused) {
  FloatBufferPool pool;
  std::shared_ptr<FloatBuffer> first = MustTake(pool, 1000);
  const float* memory = first->data();
  first->data()[999] = 42.0f;
  std::shared_ptr<const FloatBuffer> reader = first;
  first.reset();
  EXPECT_NE(MustTake(pool, 1000)->data(), memory) << "somebody still reads it";
  reader.reset();
  const std::shared_ptr<FloatBuffer> again = MustTake(pool, 1000);
  EXPECT_EQ(again->data(), memory);
  EXPECT_EQ(again->data()[999], 42.0f) << "new memory, at the same place";
}

TEST(FloatBufferPool, SizesDoNotShareBuffers) {
  FloatBufferPool pool;
  const float* small = MustTake(pool, 10)->data();
  const std::shared_ptr<FloatBuffer> large = MustTake(pool, 5000);
  EXPECT_EQ(large->size(), 5000);
  large->data()[4999] = 1.0f;
  EXPECT_EQ(MustTake(pool, 10)->data(), small);
}

TEST(FloatBufferPool, UnusedSizeIsReleased) {
  FloatBufferPool pool;
  for (int64_t size = 1000; size < 1020; ++size) MustTake(pool, size);
  EXPECT_EQ(pool.kept(), 20);
  for (int64_t i = 0; i < FloatBufferPool::kMinIdleTakes; ++i) MustTake(pool, 10);
  EXPECT_EQ(pool.kept(), 1) << "the one that is wanted";
}

TEST(FloatBufferPool, BuffersOfRoundAreReused) {
  FloatBufferPool pool;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<FloatBuffer>> lent;
    for (int i = 0; i < 200; ++i) {
      lent.push_back(MustTake(pool, 10));
      EXPECT_EQ(pool.kept(), round == 0 ? 0 : 199 - i) << "none is let go meanwhile";
    }
  }
}

TEST(FloatBufferPool, LentBufferOutlivesPool) {
  std::optional<FloatBufferPool> pool(std::in_place);
  const std::shared_ptr<FloatBuffer> lent = MustTake(*pool, 100);
  pool.reset();
  lent->data()[99] = 2.0f;
  EXPECT_EQ(lent->span()[99], 2.0f);
}

TEST(FloatBufferPool, ReturnsErrorsOfTheBuffer) {
  FloatBufferPool pool;
  EXPECT_EQ(pool.Take(-1).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace dl
