#include "base/float_buffer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "tests/support/status_matchers.h"

namespace dl {
namespace {

TEST(FloatBuffer, ZeroedAlignedWritable) {
  for (int64_t count : {1, 1000, 600'000, 3'000'001}) {
    auto buffer = FloatBuffer::Create(count);
    DL_ASSERT_OK(buffer);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_EQ(buffer->size(), count);
    EXPECT_TRUE(std::ranges::all_of(buffer->span(), [](float value) { return value == 0; }));
    std::ranges::fill(buffer->span(), 1.0f);
    EXPECT_EQ(buffer->data()[count - 1], 1.0f);
  }
}

TEST(FloatBuffer, EmptyAndRefused) {
  EXPECT_EQ(FloatBuffer::Create(0)->size(), 0);
  for (int64_t count : {int64_t{-1}, limits::kMaxBufferFloats + 1, INT64_MAX}) {
    EXPECT_THAT(FloatBuffer::Create(count),
                test::IsError(absl::StatusCode::kResourceExhausted, "limit"));
  }
}

TEST(FloatBuffer, Moves) {
  FloatBuffer first = *FloatBuffer::Create(10);
  first.data()[9] = 5;
  FloatBuffer second = std::move(first);
  EXPECT_EQ(second.data()[9], 5);
  FloatBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.data()[9], 5);
  EXPECT_EQ(third.size(), 10);
}

TEST(FloatBuffer, FreedMemoryIsReusedForTheSameSize) {
  constexpr int64_t kCount = 777'777;
  auto buffer = FloatBuffer::Create(kCount);
  DL_ASSERT_OK(buffer);
  const float* const was = buffer->data();
  std::ranges::fill(buffer->span(), 3.0f);
  *buffer = FloatBuffer();
  EXPECT_GT(FloatBuffer::IdleBytes(), 0u);
  // Has another size, so it gets its own memory.
  const auto another = FloatBuffer::Create(3 * kCount);
  const auto next = FloatBuffer::Create(kCount);
  DL_ASSERT_OK(next);
  EXPECT_EQ(next->data(), was);
  EXPECT_TRUE(std::ranges::all_of(next->span(), [](float value) { return value == 0; }));
}

TEST(FloatBuffer, IdleMemoryIsBounded) {
  constexpr int64_t kFloats = (int64_t{10} << 20) / sizeof(float);
  {
    std::vector<FloatBuffer> many;
    for (int i = 0; i < 10; ++i) many.push_back(*FloatBuffer::Create(kFloats));
  }
  EXPECT_LE(FloatBuffer::IdleBytes(), FloatBuffer::kMaxIdleBytes);
  EXPECT_GE(FloatBuffer::IdleBytes(), FloatBuffer::kMaxIdleBytes / 2);
  const size_t before = FloatBuffer::IdleBytes();
  // A buffer larger than the bound does not evict the others.
  { const auto large = FloatBuffer::Create(2 * FloatBuffer::kMaxIdleBytes / sizeof(float)); }
  EXPECT_EQ(FloatBuffer::IdleBytes(), before);
}

}  // namespace
}  // namespace dl
