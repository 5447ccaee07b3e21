#include "web/http/held_memory.h"

#include <atomic>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::web {
namespace {

using test::IsError;

constexpr Duration kNone = Duration::zero();
constexpr Duration kLong = std::chrono::seconds(60);

// A memory of 100 bytes, 60 of them for one client, and its connections.
class HeldMemoryTest : public testing::Test {
 protected:
  // A connection that holds bytes for a client and waits for its peer.
  struct Connection {
    Connection(HeldMemory& memory, std::string client, int64_t bytes)
        : holding(memory, [this] { ended = true; }) {
      held = holding.Hold(client, bytes, kNone);
      holding.BeginWaitingForPeer();
    }
    std::atomic<bool> ended = false;
    Status held;
    HeldMemory::Holding holding;
  };

  HeldMemory memory_{{.bytes = 100, .bytes_of_client = 60}};
};

TEST_F(HeldMemoryTest, ClientBeyondItsShareIsRefused) {
  Connection first(memory_, "a", 60);
  DL_EXPECT_OK(first.held);
  Connection second(memory_, "a", 1);
  EXPECT_THAT(second.held, IsError(absl::StatusCode::kResourceExhausted, "share"));
  EXPECT_FALSE(first.ended);
  first.holding.Release();
  DL_EXPECT_OK(second.holding.Hold("a", 1, kNone));
  EXPECT_EQ(memory_.HeldBy("a"), 1);
}

TEST_F(HeldMemoryTest, OldestConnectionOfTheLargestClientEndsForOthers) {
  Connection first(memory_, "a", 30);
  Connection second(memory_, "a", 30);
  Connection third(memory_, "b", 40);
  HeldMemory::Holding fourth(memory_, [] {});
  // The memory is only free when the connection has ended.
  EXPECT_THAT(fourth.Hold("c", 20, kNone), IsError(absl::StatusCode::kUnavailable, "again"));
  EXPECT_TRUE(first.ended);
  EXPECT_FALSE(second.ended);
  EXPECT_FALSE(third.ended);
  EXPECT_EQ(memory_.held(), 100);
  first.holding.Release();
  DL_EXPECT_OK(fourth.Hold("c", 20, kNone));
  EXPECT_EQ(memory_.held(), 90);
}

TEST_F(HeldMemoryTest, HolderWaitsForTheEndOfAConnection) {
  Connection first(memory_, "a", 60);
  Connection second(memory_, "b", 40);
  Thread ending("ending", [&] {
    while (memory_.held() == 100) {
      if (first.ended) first.holding.Release();
    }
  });
  HeldMemory::Holding third(memory_, [] {});
  DL_EXPECT_OK(third.Hold("c", 20, kLong));
  ending.Join();
  EXPECT_FALSE(second.ended);
}

TEST_F(HeldMemoryTest, LargestClientIsRefusedAndEndsNoOther) {
  Connection first(memory_, "a", 50);
  Connection second(memory_, "b", 50);
  HeldMemory::Holding third(memory_, [] {});
  EXPECT_THAT(third.Hold("a", 5, kLong), IsError(absl::StatusCode::kUnavailable, "unread"));
  HeldMemory::Holding fourth(memory_, [] {});
  EXPECT_THAT(fourth.Hold("c", 50, kLong), IsError(absl::StatusCode::kUnavailable, "unread"));
  EXPECT_FALSE(first.ended);
  EXPECT_FALSE(second.ended);
}

TEST_F(HeldMemoryTest, ConnectionThatDoesNotWaitForItsPeerIsNotEnded) {
  Connection first(memory_, "a", 60);
  Connection second(memory_, "b", 40);
  first.holding.EndWaitingForPeer();
  HeldMemory::Holding third(memory_, [] {});
  EXPECT_THAT(third.Hold("c", 10, kNone), IsError(absl::StatusCode::kUnavailable, ""));
  EXPECT_FALSE(first.ended);
  EXPECT_TRUE(second.ended);
}

}  // namespace
}  // namespace dl::web
