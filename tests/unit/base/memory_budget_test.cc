#include "base/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "base/thread.h"

namespace dl {
namespace {

const Instant kNever = Instant::Max();

Instant Past() { return Clock::Real().Now(); }

TEST(MemoryBudgetTest, TakenBytesAreReturned) {
  MemoryBudget budget(100);
  {
    auto charge = budget.Take(60, kNever);
    ASSERT_TRUE(charge.ok());
    EXPECT_EQ(budget.free(), 40);
    charge->ShrinkTo(10);
    EXPECT_EQ(budget.free(), 90);
    charge->ShrinkTo(50);  // it never grows
    EXPECT_EQ(budget.free(), 90);
    MemoryBudget::Charge other = *std::move(charge);
    EXPECT_EQ(other.bytes(), 10);
    EXPECT_EQ(budget.free(), 90);
    other = {};
    EXPECT_EQ(budget.free(), 100);
  }
  EXPECT_EQ(budget.free(), 100);
}

TEST(MemoryBudgetTest, TimedOutWaiterIsUnavailable) {
  MemoryBudget budget(100);
  auto held = budget.Take(60, kNever);
  const Status refused = budget.Take(50, Past()).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_NE(ErrorRemedy(refused), "");
  EXPECT_TRUE(budget.Take(40, Past()).ok());
  EXPECT_EQ(budget.free(), 40);
}

void AwaitWaiting(MemoryBudget& budget, int64_t count) {
  while (budget.waiting() != count) {
  }
}

TEST(MemoryBudgetTest, WaitersAreServedInOrder) {
  MemoryBudget budget(100);
  auto held = *budget.Take(90, kNever);
  Mutex mutex;
  std::vector<int> order;
  const auto take = [&](int who, int64_t bytes) {
    auto charge = budget.Take(bytes, kNever);
    MutexLock lock(mutex);
    order.push_back(who);
  };
  Thread large("large", [&] { take(1, 100); });
  AwaitWaiting(budget, 1);
  // It would fit, but a constant stream of small requests must not delay the large one forever.
  Thread small("small", [&] { take(2, 5); });
  AwaitWaiting(budget, 2);
  held = {};
  large.Join();
  small.Join();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_EQ(budget.free(), 100);
}

TEST(MemoryBudgetTest, TimedOutFirstWaiterLetsNextPass) {
  MemoryBudget budget(100);
  auto held = *budget.Take(90, kNever);
  Status first;
  std::atomic<bool> gave_up = false;
  Thread large("large", [&] {
    first = budget.Take(50, Clock::Real().Now() + std::chrono::milliseconds(50)).status();
    gave_up = true;
  });
  while (budget.waiting() == 0 && !gave_up) {
  }
  EXPECT_TRUE(budget.Take(10, kNever).ok());
  large.Join();
  EXPECT_TRUE(absl::IsUnavailable(first)) << first;
}

TEST(MemoryBudgetTest, CloseEndsEveryWait) {
  MemoryBudget budget(10);
  auto held = *budget.Take(10, kNever);
  Status waited;
  Thread waiter("waiter", [&] { waited = budget.Take(1, kNever).status(); });
  AwaitWaiting(budget, 1);
  budget.Close();
  waiter.Join();
  EXPECT_TRUE(absl::IsUnavailable(waited)) << waited;
  held = {};
  EXPECT_FALSE(budget.Take(1, kNever).ok());
}

}  // namespace
}  // namespace dl
