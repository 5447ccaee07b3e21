#include "base/float_buffer.h"

#include <algorithm>
#include <utility>

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

}  // namespace
}  // namespace dl
