#include "base/bounded_queue.h"

#include <atomic>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "tests/support/status_matchers.h"

namespace dl {
namespace {

using namespace std::chrono_literals;
using test::IsError;

TEST(BoundedQueue, FirstInFirstOut) {
  BoundedQueue<int> queue(3);
  for (int i = 0; i < 3; ++i) DL_EXPECT_OK(queue.Push(int{i}, 0s));
  EXPECT_EQ(queue.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*queue.Pop(0s), i);
}

TEST(BoundedQueue, FullAndEmptyEndAtTheDeadline) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_THAT(queue.Pop(1ms).status(), IsError(absl::StatusCode::kDeadlineExceeded, "empty"));
  DL_EXPECT_OK(queue.Push(std::make_unique<int>(1), 0s));
  auto refused = std::make_unique<int>(2);
  EXPECT_THAT(queue.Push(refused, 1ms), IsError(absl::StatusCode::kDeadlineExceeded, "full"));
  ASSERT_NE(refused, nullptr) << "moved from though it was refused";
}

TEST(BoundedQueue, ClosedQueueReturnsRemainingItems) {
  BoundedQueue<int> queue(2);
  DL_EXPECT_OK(queue.Push(1, 0s));
  queue.Close();
  EXPECT_THAT(queue.Push(2, 0s), IsError(absl::StatusCode::kCancelled, "closed"));
  EXPECT_EQ(*queue.Pop(0s), 1);
  EXPECT_THAT(queue.Pop(0s).status(), IsError(absl::StatusCode::kCancelled, "closed"));
}

TEST(BoundedQueue, CloseWakesBothSides) {
  BoundedQueue<int> empty(1), full(1);
  DL_EXPECT_OK(full.Push(1, 0s));
  Thread popper("popper",
                [&] { EXPECT_EQ(empty.Pop(1h).status().code(), absl::StatusCode::kCancelled); });
  Thread pusher("pusher",
                [&] { EXPECT_EQ(full.Push(2, 1h).code(), absl::StatusCode::kCancelled); });
  empty.Close();
  full.Close();
}

TEST(BoundedQueue, ManyThreadsGetEachItemOnce) {
  constexpr int kThreads = 4, kItems = 5'000;
  BoundedQueue<int> queue(7);
  std::vector<std::atomic<int>> seen(kThreads * kItems);
  {
    std::vector<Thread> consumers, producers;
    for (int t = 0; t < kThreads; ++t) {
      consumers.emplace_back("consumer", [&] {
        for (auto item = queue.Pop(1h); item.ok(); item = queue.Pop(1h)) ++seen[*item];
      });
      producers.emplace_back("producer", [&, t] {
        for (int i = 0; i < kItems; ++i) ASSERT_TRUE(queue.Push(t * kItems + i, 1h).ok());
      });
    }
    for (Thread& producer : producers) producer.Join();
    queue.Close();
  }
  for (const auto& count : seen) ASSERT_EQ(count, 1);
}

}  // namespace
}  // namespace dl
