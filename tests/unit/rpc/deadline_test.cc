#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/thread.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

using std::chrono::milliseconds;

TEST(DeadlineTest, SilentServerCostsDeadline) {
  FakeMaster master;
  Gate gate;
  master.on_query = [&](const QueryRequest&) {
    gate.Wait();
    return std::string("late");
  };
  auto server = StartServer(&master);
  auto client = ConnectTo(server->port());
  const Status status = client->Query({}, milliseconds(100)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  gate.Open();
}

TEST(DeadlineTest, ListeningPeerCostsDeadline) {
  // The kernel accepts connections of a process that is stopped.
  const RawListener silent;
  auto client = ConnectTo(silent.port());
  EXPECT_EQ(client->Query({}, milliseconds(100)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  // A request that is larger than all buffers blocks in sending, not in receiving.
  EXPECT_EQ(
      client->PutBlocks({.bytes = std::string(limits::kMaxBlockBytes, 'x')}, milliseconds(100))
          .code(),
      absl::StatusCode::kDeadlineExceeded);
}

TEST(DeadlineTest, LateReplyIsNotUsedForNextCall) {
  FakeMaster master;
  Gate gate;
  master.on_query = [&](const QueryRequest& request) {
    if (request.job == "slow") gate.Wait();
    return request.job;
  };
  auto server = StartServer(&master);
  auto client = ConnectTo(server->port(), {.control_connections = 1});
  ASSERT_EQ(client->Query({.job = "slow"}, milliseconds(100)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  gate.Open();
  for (int i = 0; i < 20; ++i) {
    auto reply = client->Query({.job = std::to_string(i)}, kLong);
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(reply->json, std::to_string(i));
  }
}

TEST(DeadlineTest, NoTimeIsAnErrorNotACall) {
  FakeMaster master;
  auto server = StartServer(&master);
  auto client = ConnectTo(server->port());
  for (Duration none : {Duration(0), Duration(-1), Duration::min()}) {
    EXPECT_EQ(client->Query({}, none).status().code(), absl::StatusCode::kDeadlineExceeded);
  }
  EXPECT_EQ(master.method(), "");
}

// Some of these deadlines expire exactly when the greeting ends. The client must then close the
// connection that it just made.
TEST(DeadlineTest, TimeForGreetingOnlyIsTooShort) {
  FakeMaster master;
  const auto server = StartServer(&master);
  Duration deadline = milliseconds(5);
  int answers = 0;
  for (int i = 0; i < 1000; ++i) {
    const Status status = ConnectTo(server->port())->Query({}, deadline).status();
    ASSERT_TRUE(status.ok() || absl::IsDeadlineExceeded(status)) << status;
    answers += status.ok() ? 1 : 0;
    deadline = deadline * (status.ok() ? 98 : 102) / 100 + Duration(1);
  }
  EXPECT_GT(answers, 100);
  EXPECT_LT(answers, 900);
}

// The error names the machine, because a user may not know which address the client was given.
TEST(DeadlineTest, TimeoutNamesMachineAndRemedy) {
  const auto expect = [](const Status& status, const std::string& what, const std::string& remedy) {
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    EXPECT_NE(status.message().find(what), std::string::npos) << status;
    EXPECT_TRUE(ErrorWhere(status).starts_with("dl://localhost:")) << status;
    EXPECT_NE(ErrorRemedy(status).find(remedy), std::string::npos) << status;
  };
  const RawListener silent;
  auto client = Client::Connect({.endpoint = {"localhost", silent.port()},
                                 .credentials = test::Admitted(),
                                 .growth_delay = Duration(0),
                                 .bulk_connections = 1});
  ASSERT_TRUE(client.ok()) << client.status();
  expect((*client)->Query({}, milliseconds(100)).status(),
         "a program on localhost (127.0.0.1) accepted the connection and did not answer: it is not "
         "a master, or a master that is overloaded or stopped",
         absl::StrCat("which program listens on port ", silent.port()));
  expect((*client)->Query({}, Duration(0)).status(),
         "no time was left for a call to the master on localhost",
         absl::StrCat("doctor --master dl://localhost:", silent.port()));
}

TEST(DeadlineTest, HeartbeatsPassWhileAllOtherConnectionsAreBusy) {
  FakeMaster master;
  Gate gate;
  Gate entered;
  master.on_contribute = [&](const ContributionChunk&) {
    entered.Open();
    gate.Wait();
  };
  auto server = StartServer(&master);
  auto client = JoinedTo(server->port(), {.bulk_connections = 1});
  Thread bulk("bulk", [&] {
    EXPECT_TRUE(client->Contribute(Sample<ContributionChunk>(), kLong).ok());
    entered.Open();  // in case the call failed before it reached the master
  });
  entered.Wait();
  EXPECT_TRUE(client->Heartbeat(Sample<HeartbeatRequest>(), kLong).ok());
  EXPECT_TRUE(client->LeaseUnits(Sample<LeaseRequest>(), kLong).ok());
  EXPECT_TRUE(client->Announce(Sample<AnnounceRequest>(), kLong).ok());
  // All connections for bulk data are in use. The time spent waiting for one counts against the
  // deadline.
  const Status full = client->OfferPart(Sample<OfferChunk>(), milliseconds(50));
  EXPECT_EQ(full.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_NE(full.message().find("the master on 127.0.0.1 are busy"), std::string::npos) << full;
  EXPECT_NE(ErrorRemedy(full).find("doctor"), std::string::npos) << full;
  gate.Open();
  bulk.Join();
  EXPECT_TRUE(client->OfferPart(Sample<OfferChunk>(), kLong).ok());
}

TEST(DeadlineTest, CallsOfManyThreadsGetTheirOwnAnswers) {
  FakeMaster master;
  master.on_query = [](const QueryRequest& request) { return request.job + "!"; };
  auto server = StartServer(&master);
  auto client = ConnectTo(server->port(), {.control_connections = 3});
  std::vector<Thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back("caller", [&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string job = std::to_string(t) + "/" + std::to_string(i);
        auto reply = client->Query({.job = job}, kLong);
        if (!reply.ok() || reply->json != job + "!") ++wrong;
      }
    });
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(wrong, 0);
}

TEST(DeadlineTest, CloseEndsACallUnderWay) {
  FakeMaster master;
  Gate gate;
  Gate entered;
  master.on_lease = [&](const LeaseRequest&) {
    entered.Open();
    gate.Wait();
  };
  auto server = StartServer(&master);
  auto client = JoinedTo(server->port());
  Status status;
  Thread caller("caller",
                [&] { status = client->LeaseUnits(Sample<LeaseRequest>(), kLong).status(); });
  entered.Wait();
  client->Close();
  caller.Join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  EXPECT_EQ(client->Query({}, kLong).status().code(), absl::StatusCode::kCancelled);
  gate.Open();
}

}  // namespace
}  // namespace dl::rpc
