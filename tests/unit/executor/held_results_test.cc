#include "executor/held_results.h"

#include <gtest/gtest.h>

#include "tests/support/damage.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::executor {
namespace {

using dl::test::IsError;

std::shared_ptr<FloatBuffer> Result(int64_t size, float first) {
  auto buffer = FloatBuffer::Create(size);
  for (int64_t i = 0; i < size; ++i) buffer->data()[i] = first + static_cast<float>(i);
  return std::make_shared<FloatBuffer>(*std::move(buffer));
}

void ExpectResult(HeldResults& held, uint64_t computation, int64_t size, float first) {
  const auto got = held.Get(computation);
  DL_ASSERT_OK(got);
  EXPECT_EQ((*got)->size(), size);
  EXPECT_EQ((*got)->data()[0], first);
  EXPECT_EQ((*got)->data()[size - 1], first + static_cast<float>(size - 1));
}

TEST(HeldResults, FullMemorySpillsToDisk) {
  const test::TempFolder folder;
  HeldResults held({.memory_bytes = 1000, .folder = folder.path()});
  for (uint64_t i = 0; i < 5; ++i)
    DL_ASSERT_OK(held.Hold(i, Result(100, static_cast<float>(1000 * i))));
  EXPECT_EQ(held.memory_bytes(), 800);
  EXPECT_EQ(held.disk_bytes(), 1200);
  for (uint64_t i = 0; i < 5; ++i) ExpectResult(held, i, 100, static_cast<float>(1000 * i));
  held.Drop(0);
  DL_ASSERT_OK(held.Hold(7, Result(100, 7)));
  EXPECT_EQ(held.memory_bytes(), 800) << "there is room again";
}

TEST(HeldResults, DiskIsUsedAgainAndGivenBack) {
  const test::TempFolder folder;
  HeldResults held({.memory_bytes = 0, .folder = folder.path()});
  for (uint64_t round = 0; round < 50; ++round) {
    for (uint64_t i = 0; i < 3; ++i)
      DL_ASSERT_OK(held.Hold(10 * round + i, Result(100, static_cast<float>(10 * round + i))));
    DL_ASSERT_OK(held.Hold(10 * round + 3, Result(7, 3)));
    for (uint64_t i = 0; i < 3; ++i)
      ExpectResult(held, 10 * round + i, 100, static_cast<float>(10 * round + i));
    if (round > 0) {
      for (uint64_t i = 0; i < 4; ++i) held.Drop(10 * (round - 1) + i);
    }
    EXPECT_LE(held.disk_bytes(), 2 * (3 * 400 + 28));
  }
  for (uint64_t i = 0; i < 4; ++i) held.Drop(490 + i);
  EXPECT_EQ(held.disk_bytes(), 0);
  EXPECT_THAT(held.Get(490), IsError(absl::StatusCode::kNotFound, "490"));
}

TEST(HeldResults, WithoutDiskStayInMemory) {
  HeldResults held({.memory_bytes = 0, .folder = "/proc/nowhere"});
  EXPECT_THAT(held.Hold(1, Result(100, 5)),
              IsError(absl::StatusCode::kFailedPrecondition, "results that memory may not hold"));
  ExpectResult(held, 1, 100, 5);
  EXPECT_EQ(held.memory_bytes(), 400);
  held.Drop(1);
  EXPECT_EQ(held.memory_bytes(), 0);
}

TEST(HeldResults, HangingDiskIsLeftAlone) {
  test::FreezableDisk disk;
  if (!disk.refused().empty()) GTEST_SKIP() << disk.refused();
  auto held = std::make_unique<HeldResults>(HeldResults::Options{
      .memory_bytes = 0, .folder = disk.path(), .disk_limit = std::chrono::milliseconds(20)});
  DL_ASSERT_OK(held->Hold(1, Result(100, 1)));
  DL_ASSERT_OK(held->Hold(2, Result(100, 2)));
  disk.Freeze();
  EXPECT_THAT(held->Hold(3, Result(100, 3)),
              IsError(absl::StatusCode::kDataLoss, "does not answer"));
  ExpectResult(*held, 3, 100, 3);
  EXPECT_EQ(held->memory_bytes(), 400);
  EXPECT_THAT(held->Get(1), IsError(absl::StatusCode::kDataLoss, "does not answer"));
  held->Drop(2);
  disk.Thaw();
  for (;;) {
    const auto read = held->Get(1);
    if (read.ok()) break;
    ASSERT_TRUE(absl::IsDataLoss(read.status())) << read.status();
  }
  ExpectResult(*held, 1, 100, 1);
  DL_ASSERT_OK(held->Hold(4, Result(100, 4)));
  ExpectResult(*held, 4, 100, 4);
  for (const uint64_t computation : {1, 3, 4}) held->Drop(computation);
  EXPECT_EQ(held->disk_bytes(), 0);

  DL_ASSERT_OK(held->Hold(5, Result(7, 5)));
  disk.Freeze();
  DL_ASSERT_OK(held->Get(5));  // from memory, as of any file
  EXPECT_FALSE(held->Hold(6, Result(100, 6)).ok());
  held = nullptr;  // does not wait for the end of the file
}

}  // namespace
}  // namespace dl::executor
