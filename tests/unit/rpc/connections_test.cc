// How many connections a client opens, and that a blocked connection does not delay calls of
// another kind.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/thread.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

constexpr Duration kNever = std::chrono::hours(1);

// A master that blocks every Query and FetchPart until the gate is open.
class ConnectionsTest : public testing::Test {
 protected:
  ConnectionsTest() {
    master_.on_query = [this](const QueryRequest&) {
      Hold();
      return std::string("{}");
    };
    master_.on_fetch_part = [this](const FetchRequest&) {
      Hold();
      return Chunk{};
    };
  }
  void Hold() {
    ++held_;
    gate_.Wait();
  }
  void WaitUntilHeld(int calls) {
    while (held_ < calls) {
    }
  }
  Thread Caller(Client& client) {
    return Thread("caller", [&client] { EXPECT_TRUE(client.Query({}, kLong).ok()); });
  }
  Thread Fetcher(Client& client) {
    return Thread("fetcher",
                  [&client] { EXPECT_TRUE(client.FetchPart(Sample<FetchRequest>(), kLong).ok()); });
  }
  // Runs this many calls at once, each on its own connection, and waits until all have ended.
  void Burst(Client& client, int calls) {
    std::vector<Thread> fetchers;
    for (int i = 0; i < calls; ++i) fetchers.push_back(Fetcher(client));
    WaitUntilHeld(calls);
    EXPECT_EQ(server_->connections(), calls);
    gate_.Open();
    for (Thread& fetcher : fetchers) fetcher.Join();
  }

  FakeMaster master_;
  Gate gate_;
  std::atomic<int> held_ = 0;
  std::unique_ptr<Server> server_ = StartServer(&master_);
};

TEST_F(ConnectionsTest, ThreeServeAllCallsOfAnExecutor) {
  gate_.Open();
  auto client = JoinedTo(server_->port(), {.growth_delay = kNever});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client->Register(Sample<RegisterRequest>(), kLong).ok());
    ASSERT_TRUE(client->Heartbeat(Sample<HeartbeatRequest>(), kLong).ok());
    ASSERT_TRUE(client->LeaseUnits(Sample<LeaseRequest>(), kLong).ok());
    ASSERT_TRUE(client->FetchJob(Sample<FetchJobRequest>(), kLong).ok());
    ASSERT_TRUE(client->FetchPart(Sample<FetchRequest>(), kLong).ok());
    ASSERT_TRUE(client->FetchBlock(Sample<FetchRequest>(), kLong).ok());
    ASSERT_TRUE(client->Announce(Sample<AnnounceRequest>(), kLong).ok());
    ASSERT_TRUE(client->Contribute(Sample<ContributionChunk>(), kLong).ok());
    ASSERT_TRUE(client->OfferPart(Sample<OfferChunk>(), kLong).ok());
    ASSERT_TRUE(client->ReportFailure(Sample<FailureReport>(), kLong).ok());
  }
  EXPECT_EQ(server_->connections(), 3);
}

TEST_F(ConnectionsTest, ConcurrentCallsTakeTurns) {
  auto client = JoinedTo(server_->port(), {.growth_delay = kNever});
  std::vector<Thread> callers;
  for (int i = 0; i < 8; ++i) callers.push_back(Fetcher(*client));
  WaitUntilHeld(1);
  gate_.Open();
  for (Thread& caller : callers) caller.Join();
  EXPECT_EQ(server_->connections(), 1);
}

// The master does not answer one Query and one FetchPart.
TEST_F(ConnectionsTest, HangingCallBarelyDelaysOthers) {
  auto client = JoinedTo(server_->port(), {.growth_delay = std::chrono::milliseconds(1)});
  Thread control = Caller(*client);
  WaitUntilHeld(1);
  Thread fetch = Fetcher(*client);
  WaitUntilHeld(2);
  EXPECT_TRUE(client->Heartbeat(Sample<HeartbeatRequest>(), kLong).ok());
  EXPECT_TRUE(client->LeaseUnits(Sample<LeaseRequest>(), kLong).ok());
  EXPECT_TRUE(client->Announce(Sample<AnnounceRequest>(), kLong).ok());
  EXPECT_TRUE(client->Contribute(Sample<ContributionChunk>(), kLong).ok());
  EXPECT_EQ(server_->connections(), 5);
  gate_.Open();
  control.Join();
  fetch.Join();
}

TEST_F(ConnectionsTest, HeartbeatNeverWaits) {
  auto client = JoinedTo(server_->port(), {.growth_delay = kNever});
  Thread control = Caller(*client);
  WaitUntilHeld(1);
  EXPECT_TRUE(client->Heartbeat(Sample<HeartbeatRequest>(), kLong).ok());
  EXPECT_TRUE(client->LeaseUnits(Sample<LeaseRequest>(), kLong).ok());
  EXPECT_EQ(
      client->Announce(Sample<AnnounceRequest>(), std::chrono::milliseconds(50)).status().code(),
      absl::StatusCode::kDeadlineExceeded);
  gate_.Open();
}

TEST_F(ConnectionsTest, FetchesThatHangLeavePlacesForShortCalls) {
  auto client = JoinedTo(server_->port(), {.growth_delay = Duration(0), .bulk_connections = 2});
  std::vector<Thread> fetchers;
  for (int i = 0; i < 4; ++i) fetchers.push_back(Fetcher(*client));
  WaitUntilHeld(2);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(client->Announce(Sample<AnnounceRequest>(), kLong).ok());
  EXPECT_EQ(server_->connections(), 3);  // the other two fetches may not use the idle connection
  EXPECT_EQ(held_, 2);
  gate_.Open();
}

TEST_F(ConnectionsTest, ConnectionsOfBurstAreClosedLater) {
  auto client = JoinedTo(server_->port(), {.growth_delay = Duration(0),
                                           .spare_timeout = std::chrono::milliseconds(1)});
  Burst(*client, 4);
  // Sends only heartbeats and polls. Their two connections and one for other calls must remain.
  const Instant growth_delay = Clock::Real().Now() + kLong;
  while (server_->connections() != 3 && Clock::Real().Now() < growth_delay) {
    ASSERT_TRUE(client->Heartbeat(Sample<HeartbeatRequest>(), kLong).ok());
    ASSERT_TRUE(client->LeaseUnits(Sample<LeaseRequest>(), kLong).ok());
  }
  EXPECT_EQ(server_->connections(), 3);
}

TEST_F(ConnectionsTest, ConnectionsOfBurstServeNextBurst) {
  auto client = JoinedTo(server_->port(), {.growth_delay = Duration(0), .spare_timeout = kNever});
  Burst(*client, 4);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(client->Announce(Sample<AnnounceRequest>(), kLong).ok());
  EXPECT_EQ(server_->connections(), 4);
}

// Short calls that share one connection wait for each other, but not long enough to justify a
// second connection. So the spare connection is closed although calls overlap.
TEST_F(ConnectionsTest, IdleConnectionsCloseDespiteShortCalls) {
  auto client = JoinedTo(server_->port(), {.growth_delay = std::chrono::milliseconds(300),
                                           .spare_timeout = std::chrono::milliseconds(300)});
  Burst(*client, 2);
  std::atomic<bool> over = false;
  std::vector<Thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back("caller", [&] {
      while (!over) ASSERT_TRUE(client->Announce(Sample<AnnounceRequest>(), kLong).ok());
    });
  }
  const Instant growth_delay = Clock::Real().Now() + kLong;
  while (server_->connections() != 1 && Clock::Real().Now() < growth_delay) {
  }
  EXPECT_EQ(server_->connections(), 1);
  over = true;
}

// A thread that sends chunk after chunk could take the connection again before a waiting thread
// wakes.
TEST_F(ConnectionsTest, ManyChunksLetOtherCallsPass) {
  gate_.Open();
  std::atomic<int> chunks = 0;
  master_.on_contribute = [&](const ContributionChunk&) { ++chunks; };
  auto client = JoinedTo(server_->port(), {.growth_delay = kNever});
  std::atomic<bool> over = false;
  Thread sender("sender", [&] {
    while (!over) ASSERT_TRUE(client->Contribute(Sample<ContributionChunk>(), kLong).ok());
  });
  std::vector<int> between;
  for (int i = 0; i < 101; ++i) {
    const int before = chunks;
    EXPECT_TRUE(client->Announce(Sample<AnnounceRequest>(), kLong).ok());
    between.push_back(chunks - before);
  }
  over = true;
  std::sort(between.begin(), between.end());
  EXPECT_LE(between[between.size() / 2], 3);
}

}  // namespace
}  // namespace dl::rpc
