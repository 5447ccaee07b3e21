// Calls to a disk that hangs. A call that waits at a gate stands for the disk.
#include "base/disk_calls.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "base/fail_point.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/gate.h"

namespace dl {
namespace {

using std::chrono::milliseconds;
using test::Gate;
using testing::HasSubstr;
using testing::Optional;

DiskCalls::Options Within(Duration limit) {
  return {.what = "the disk", .otherwise = "memory is used", .limit = limit};
}
void WaitUntilAnswers(const DiskCalls& disk) {
  while (disk.hangs()) std::this_thread::yield();
}

TEST(DiskCalls, ReturnsResultOfCall) {
  DiskCalls disk(Within(std::chrono::hours(1)));
  const std::thread::id own = std::this_thread::get_id();
  EXPECT_THAT(disk.Run([] { return 5; }), Optional(5));
  EXPECT_THAT(disk.Run([own] { return std::this_thread::get_id() == own; }), Optional(false));
  EXPECT_FALSE(disk.hangs());
}

TEST(DiskCalls, RunsOnCallersThreadWithoutAnother) {
  DiskCalls disk(Within(std::chrono::hours(1)));
  ASSERT_TRUE(ArmFailPoints("thread.start=error").ok());
  EXPECT_THAT(disk.Run([] { return 5; }), Optional(5));
  ASSERT_TRUE(ArmFailPoints("").ok());
}

TEST(DiskCalls, HangIsLoggedOnceAndEndsWithAnAnswer) {
  const auto gate = std::make_shared<Gate>();
  DiskCalls disk(Within(milliseconds(20)));
  const test::OpenedAtTheEnd opened(*gate);
  testing::internal::CaptureStderr();
  const auto wait = [gate] {
    gate->Wait();
    return 1;
  };
  EXPECT_EQ(disk.Run(wait), std::nullopt);
  EXPECT_TRUE(disk.hangs());
  std::atomic<bool> ran = false;
  EXPECT_EQ(disk.Run([&ran] { return ran = true, 2; }), std::nullopt);
  EXPECT_FALSE(ran) << "no further call starts";
  gate->Open();
  WaitUntilAnswers(disk);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("the disk has not answered for 0.02 s; memory is used"));
  EXPECT_THAT(log, HasSubstr("the disk answers again"));
  EXPECT_THAT(disk.Run([] { return 3; }), Optional(3));
}

TEST(DiskCalls, DestructionLeavesHangingCallAlone) {
  const auto gate = std::make_shared<Gate>();
  const auto used = std::make_shared<int>(7);
  const std::weak_ptr<int> still_used = used;
  {
    DiskCalls disk(Within(milliseconds(20)));
    EXPECT_EQ(disk.Run([gate, used = std::shared_ptr<int>(used)] {
      gate->Wait();
      return *used;
    }),
              std::nullopt);
  }
  EXPECT_EQ(used.use_count(), 2);
  gate->Open();
  while (used.use_count() > 1) std::this_thread::yield();
}

}  // namespace
}  // namespace dl
