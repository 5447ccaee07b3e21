#include "rpc/message_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/thread.h"

namespace dl::rpc {
namespace {

using Holding = MessageBudget::Holding;

constexpr int64_t kMegabyte = 1 << 20;
constexpr int64_t kEverything = 100 * kMegabyte;
const Instant kNoDeadline = Instant::Max();

Instant NoWait() { return Clock::Real().Now(); }

// A connection with this token. The test counts its moved bytes, and the budget sets `ended` when
// it ends the connection.
struct PeerUnderTest {
  explicit PeerUnderTest(std::string token) {
    peer = {.token = std::move(token), .moved_bytes = &moved, .end = [this] { ended = true; }};
  }
  std::atomic<int64_t> moved = 0;
  std::atomic<bool> ended = false;
  MessagePeer peer;
};

void AwaitWaiters(MessageBudget& budget, int64_t count) {
  while (budget.waiting() != count) {
  }
}

TEST(MessageBudget, AnnouncedBytesAreNotCharged) {
  MessageBudget budget({.bytes = kEverything, .bytes_of_token = kEverything});
  const PeerUnderTest stalled("a"), other("b");
  std::vector<std::unique_ptr<Holding>> announced;
  for (int i = 0; i < 50; ++i) {
    announced.push_back(std::make_unique<Holding>());
    announced.back()->Join(budget, stalled.peer, kEverything);
  }
  EXPECT_EQ(budget.free(), kEverything);
  Holding whole;
  whole.Join(budget, other.peer, kEverything);
  EXPECT_TRUE(whole.Grow(kEverything, NoWait()).ok());
  EXPECT_EQ(budget.free(), 0);
  whole.ShrinkTo(kMegabyte);
  EXPECT_EQ(budget.free(), kEverything - kMegabyte);
  whole.Release();
  EXPECT_EQ(budget.free(), kEverything);
}

// Two messages of 60 MiB each share 100 MiB. If each could hold 50 MiB, neither could be completed.
TEST(MessageBudget, PartsOfMessagesNeverBlockEachOther) {
  MessageBudget budget({.bytes = kEverything, .bytes_of_token = kEverything});
  const PeerUnderTest one("a"), two("b");
  Holding first, second;
  first.Join(budget, one.peer, 60 * kMegabyte);
  second.Join(budget, two.peer, 60 * kMegabyte);
  ASSERT_TRUE(first.Grow(50 * kMegabyte, NoWait()).ok());
  const Status unsafe = second.Grow(50 * kMegabyte, NoWait());
  EXPECT_TRUE(absl::IsUnavailable(unsafe)) << unsafe;
  EXPECT_NE(ErrorRemedy(unsafe), "");
  EXPECT_TRUE(second.Grow(40 * kMegabyte, NoWait()).ok());
  EXPECT_TRUE(first.Grow(10 * kMegabyte, NoWait()).ok());
  first.Release();
  EXPECT_TRUE(second.Grow(20 * kMegabyte, NoWait()).ok());
}

TEST(MessageBudget, TokenHoldsItsShareAtMost) {
  MessageBudget budget({.bytes = kEverything, .bytes_of_token = 60 * kMegabyte});
  const PeerUnderTest greedy("a"), other("b");
  std::vector<std::unique_ptr<Holding>> held;
  for (int i = 0; i < 6; ++i) {
    held.push_back(std::make_unique<Holding>());
    held.back()->Join(budget, greedy.peer, 10 * kMegabyte);
    ASSERT_TRUE(held.back()->Grow(10 * kMegabyte, NoWait()).ok());
  }
  Holding refused, granted;
  refused.Join(budget, greedy.peer, 10 * kMegabyte);
  EXPECT_FALSE(refused.Grow(10 * kMegabyte, NoWait()).ok());
  granted.Join(budget, other.peer, 40 * kMegabyte);
  EXPECT_TRUE(granted.Grow(40 * kMegabyte, NoWait()).ok());
}

TEST(MessageBudget, WaitingTokensAreServedInRotation) {
  MessageBudget budget({.bytes = kEverything, .bytes_of_token = kEverything});
  const PeerUnderTest many("a"), single("b");
  Holding all;
  all.Join(budget, many.peer, kEverything);
  ASSERT_TRUE(all.Grow(kEverything, NoWait()).ok());
  Mutex mutex;
  std::vector<std::string> order;
  std::vector<Thread> threads;
  const auto take = [&](const MessagePeer& peer) {
    threads.emplace_back("taker", [&] {
      Holding holding;
      holding.Join(budget, peer, kEverything);
      EXPECT_TRUE(holding.Grow(kEverything, kNoDeadline).ok());
      MutexLock lock(mutex);
      order.push_back(peer.token);
    });
    AwaitWaiters(budget, static_cast<int64_t>(threads.size()));
  };
  for (int i = 0; i < 5; ++i) take(many.peer);
  take(single.peer);
  all.Release();
  for (Thread& thread : threads) thread.Join();
  // The token with five messages gets at most one turn before the other token.
  EXPECT_TRUE(order.at(0) == "b" || order.at(1) == "b");
}

// A new small message waits after a large message that waits. A message that already holds a part
// goes before both.
TEST(MessageBudget, LargeMessageIsNotPassedByNewOnes) {
  MessageBudget budget({.bytes = kEverything, .bytes_of_token = kEverything});
  const PeerUnderTest one("a"), two("b"), three("c");
  Holding begun, large, small;
  begun.Join(budget, one.peer, 20 * kMegabyte);
  ASSERT_TRUE(begun.Grow(10 * kMegabyte, NoWait()).ok());
  Thread waits("large", [&] {
    large.Join(budget, two.peer, kEverything);
    EXPECT_TRUE(large.Grow(kEverything, kNoDeadline).ok());
    large.Release();
  });
  AwaitWaiters(budget, 1);
  small.Join(budget, three.peer, kMegabyte);
  EXPECT_FALSE(small.Grow(kMegabyte, NoWait()).ok());
  EXPECT_TRUE(begun.Grow(10 * kMegabyte, NoWait()).ok());
  begun.Release();
  waits.Join();
  EXPECT_TRUE(small.Grow(kMegabyte, NoWait()).ok());
}

TEST(MessageBudget, SlowPeerIsEndedWhileOthersWait) {
  MessageBudget budget({.bytes = kEverything,
                        .bytes_of_token = kEverything,
                        .measure_interval = std::chrono::milliseconds(20)});
  PeerUnderTest slow("a"), quick("b"), served("c"), waits("d");
  Holding of_slow, of_quick, of_served, wanted;
  of_slow.Join(budget, slow.peer, 40 * kMegabyte);
  of_quick.Join(budget, quick.peer, 30 * kMegabyte);
  of_served.Join(budget, served.peer, 30 * kMegabyte);
  for (Holding* holding : {&of_slow, &of_quick, &of_served}) {
    ASSERT_TRUE(holding->Grow(30 * kMegabyte, NoWait()).ok());
    holding->BeginMoving();
  }
  of_served.EndMoving();  // the service processes its request now
  std::atomic<bool> over = false;
  Thread moves("quick", [&] {
    while (!over) quick.moved += kMegabyte;
  });
  Thread gives_back("slow", [&] {
    while (!slow.ended) {
    }
    of_slow.Release();
  });
  wanted.Join(budget, waits.peer, 30 * kMegabyte);
  EXPECT_TRUE(wanted.Grow(30 * kMegabyte, kNoDeadline).ok());
  over = true;
  moves.Join();
  gives_back.Join();
  EXPECT_TRUE(slow.ended);
  EXPECT_FALSE(quick.ended);
  EXPECT_FALSE(served.ended);
}

TEST(MessageBudget, SlowPeerStaysWhileNoMessageWaits) {
  MessageBudget budget({.bytes = kEverything,
                        .bytes_of_token = kEverything,
                        .measure_interval = std::chrono::milliseconds(0)});
  PeerUnderTest slow("a"), other("b");
  Holding of_slow;
  of_slow.Join(budget, slow.peer, kMegabyte);
  ASSERT_TRUE(of_slow.Grow(kMegabyte, NoWait()).ok());
  of_slow.BeginMoving();
  for (int i = 0; i < 100; ++i) {
    Holding holding;
    holding.Join(budget, other.peer, 10 * kMegabyte);
    ASSERT_TRUE(holding.Grow(10 * kMegabyte, kNoDeadline).ok());
  }
  EXPECT_FALSE(slow.ended);
}

TEST(MessageBudget, MinRateGrowsWithHeldBytes) {
  EXPECT_EQ(MessageBudget::MinRate(0), limits::kMinMessageRate);
  EXPECT_EQ(MessageBudget::MinRate(60 * kMegabyte), 2 * kMegabyte);
}

TEST(MessageBudget, CloseEndsEveryWait) {
  MessageBudget budget({.bytes = kMegabyte, .bytes_of_token = kMegabyte});
  const PeerUnderTest one("a"), two("b");
  Holding held, waits;
  held.Join(budget, one.peer, kMegabyte);
  ASSERT_TRUE(held.Grow(kMegabyte, NoWait()).ok());
  waits.Join(budget, two.peer, kMegabyte);
  Thread thread("waits", [&] { EXPECT_FALSE(waits.Grow(kMegabyte, kNoDeadline).ok()); });
  AwaitWaiters(budget, 1);
  budget.Close();
  thread.Join();
}

}  // namespace
}  // namespace dl::rpc
