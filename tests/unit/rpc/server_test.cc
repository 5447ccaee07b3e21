#include "rpc/server.h"

#include <gtest/gtest.h>

#include "base/thread.h"
#include "rpc/connection_handler.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

TEST(ServerTest, WithoutKeysOnlyLoopbackIsBound) {
  for (const char* address :
       {"0.0.0.0", "::", "192.168.1.1", "example.org", "", "127.0.0.1.evil.org", "126.0.0.1"}) {
    auto server = Server::Listen({.address = address});
    ASSERT_FALSE(server.ok()) << address;
    EXPECT_EQ(server.status().code(), absl::StatusCode::kFailedPrecondition) << address;
    EXPECT_NE(ErrorRemedy(server.status()).find("dl-submit cluster init"), std::string::npos);
  }
  for (const char* address : {"127.0.0.1", "localhost"}) {
    EXPECT_TRUE(Server::Listen({.address = address}).ok()) << address;
  }
}

TEST(ServerTest, OddOptionsAreRefused) {
  EXPECT_EQ(Server::Listen({.port = 65536}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Server::Listen({.port = -1}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Server::Listen({.max_connections = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Client::Connect({}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ServerTest, PortInUseIsReported) {
  FakeMaster master;
  auto first = StartServer(&master);
  auto second = Server::Listen({.port = first->port()});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ErrorWhere(second.status()), "127.0.0.1:" + std::to_string(first->port()));
  EXPECT_NE(second.status().message().find("in use"), std::string::npos) << second.status();
}

// A master opens its port before it has read its records.
TEST(ServerTest, PeersWaitForAServerThatOnlyListens) {
  FakeMaster master;
  auto server = Server::Listen({});
  ASSERT_TRUE(server.ok()) << server.status();
  auto client = ConnectTo((*server)->port());
  Status asked;
  Thread caller("caller", [&] { asked = client->Query({}, kLong).status(); });
  (*server)->Serve({.clients = &master, .tokens = &test::TestTokens()});
  caller.Join();
  EXPECT_TRUE(asked.ok()) << asked;
}

TEST(ServerTest, UnusedServerStops) {
  auto server = Server::Listen({});
  ASSERT_TRUE(server.ok()) << server.status();
  const int port = (*server)->port();
  (*server)->Stop();
  server->reset();
  EXPECT_TRUE(Server::Listen({.port = port}).ok());
}

TEST(ServerTest, StopReturnsWithIdleClientsAndFreesThePort) {
  FakeMaster master;
  auto server = StartServer(&master);
  const int port = server->port();
  auto client = ConnectTo(port);
  ASSERT_TRUE(client->Query({}, kLong).ok());
  RawPeer silent(port);
  RawPeer half(port);
  ASSERT_TRUE(half.Send(HelloCall(1, test::Admitted().token).substr(0, 9)));
  server->Stop();
  server->Stop();
  const Status status = client->Query({}, kLong).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  auto again = StartServer(&master, {.port = port});
  EXPECT_TRUE(client->Query({}, kLong).ok()) << "a client finds the restarted master by itself";
}

TEST(ServerTest, StopWaitsForACallUnderWayAndSendsItsAnswer) {
  FakeMaster master;
  Gate gate;
  Gate entered;
  master.on_query = [&](const QueryRequest&) {
    entered.Open();
    gate.Wait();
    return std::string("done");
  };
  auto server = StartServer(&master);
  auto client = ConnectTo(server->port());
  std::string answer;
  Thread caller("caller", [&] {
    auto reply = client->Query({}, kLong);
    if (reply.ok()) answer = reply->json;
  });
  entered.Wait();
  Thread stopper("stopper", [&] { server->Stop(); });
  gate.Open();
  stopper.Join();
  caller.Join();
  EXPECT_EQ(answer, "done");
}

TEST(ServerTest, AnotherProtocolIsAVersionMismatchThatNamesBoth) {
  FakeMaster master;
  auto server = StartServer(&master);
  auto client = ConnectTo(server->port(), {.role = "executor", .protocol = kProtocolVersion + 1});
  for (int i = 0; i < 2; ++i) {
    const Status status = client->Register({}, kLong).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    const std::string text(status.message());
    for (const std::string& part :
         std::vector<std::string>{"version mismatch", "server-version", "client-version",
                                  "protocol " + std::to_string(kProtocolVersion),
                                  "protocol " + std::to_string(kProtocolVersion + 1), "executor"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text << " lacks " << part;
    }
  }
  EXPECT_EQ(master.method(), "");
}

TEST(ServerTest, OtherProtocolIsRefused) {
  FakeMaster master;
  auto server = StartServer(&master);
  RawPeer peer(server->port());
  ASSERT_TRUE(peer.Send(HelloCall(kProtocolVersion + 1, test::Admitted().token)));
  std::string answer;
  EXPECT_TRUE(peer.ClosedByPeer(&answer));
  EXPECT_NE(answer.find("version mismatch"), std::string::npos);
}

TEST(ServerTest, ConnectionOverLimitGetsError) {
  FakeMaster master;
  auto server = StartServer(&master, {.max_connections = 2});
  auto first = JoinedTo(server->port());                                  // first connection
  ASSERT_TRUE(first->Heartbeat(Sample<HeartbeatRequest>(), kLong).ok());  // second connection
  auto second = ConnectTo(server->port());
  const Status status = second->Query({}, std::chrono::milliseconds(300)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_NE(status.message().find("which is its limit"), std::string::npos) << status;
  EXPECT_TRUE(first->Query({}, kLong).ok());
}

// A single address or token may not take the last places.
TEST(ServerTest, ConnectionsPerAddressAreLimited) {
  FakeMaster master;
  auto server = StartServer(&master, {.max_connections = 16});
  const std::string hello = HelloCall(kProtocolVersion, test::Admitted().token);
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (int i = 0; i < 14; ++i) {
    peers.push_back(std::make_unique<RawPeer>(server->port()));
    ASSERT_TRUE(peers.back()->Send(hello));
    ASSERT_EQ(peers.back()->Read(20).back(), '\0') << i;
  }
  const auto refusal = [&] {
    std::string said;
    RawPeer one_more(server->port());
    EXPECT_TRUE(one_more.Send(hello));
    EXPECT_TRUE(one_more.ClosedByPeer(&said));
    return said;
  };
  EXPECT_NE(refusal().find("14 connections from 127.0.0.1 or with this token"), std::string::npos);
  {
    RawPeer same_token(server->port(), "127.0.0.2");
    ASSERT_TRUE(same_token.Send(hello));
    EXPECT_TRUE(same_token.ClosedByPeer());
    RawPeer other(server->port(), "127.0.0.2");
    ASSERT_TRUE(
        other.Send(HelloCall(kProtocolVersion, test::Admitted(security::Role::kExecute).token)));
    EXPECT_EQ(other.Read(20).back(), '\0');
  }
  peers.pop_back();
  while (server->connections() > 13) {
  }
  peers.push_back(std::make_unique<RawPeer>(server->port()));
  ASSERT_TRUE(peers.back()->Send(hello));
  EXPECT_EQ(peers.back()->Read(20).back(), '\0');
  EXPECT_NE(refusal().find("which is its limit"), std::string::npos);
}

// A client that was refused retries until its deadline. If the last try times out, the error must
// still be the refusal.
TEST(ServerTest, ShortLastTryKeepsRefusal) {
  FakeMaster master;
  auto server = StartServer(&master, {.max_connections = 1});
  auto first = ConnectTo(server->port());
  ASSERT_TRUE(first->Query({}, kLong).ok());
  std::string refusal;
  RawPeer asks(server->port());
  ASSERT_TRUE(asks.Send(HelloCall(kProtocolVersion, test::Admitted().token)));
  ASSERT_TRUE(asks.ClosedByPeer(&refusal));

  RawListener silent;  // sends the refusal and then nothing
  auto second = ConnectTo(silent.port());
  Thread refuses("refuses", [&] { silent.AnswerOne(refusal); });
  const Status status = second->Query({}, std::chrono::seconds(1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_NE(status.message().find("which is its limit"), std::string::npos) << status;
}

TEST(ServerTest, ClientOverLimitWaitsForPlace) {
  FakeMaster master;
  auto server = StartServer(&master, {.max_connections = 1});
  auto first = ConnectTo(server->port());
  ASSERT_TRUE(first->Query({}, kLong).ok());
  auto second = ConnectTo(server->port());
  Status waited;
  Thread waiter("waiter", [&] { waited = second->Query({}, kLong).status(); });
  while (server->refused() == 0) {
  }
  first.reset();
  waiter.Join();
  EXPECT_TRUE(waited.ok()) << waited;
  // Closing the client ends the wait too.
  auto third = ConnectTo(server->port());
  const int64_t before = server->refused();
  Thread other("other", [&] { waited = third->Query({}, kLong).status(); });
  while (server->refused() == before) {
  }
  third->Close();
  other.Join();
  EXPECT_EQ(waited.code(), absl::StatusCode::kCancelled) << waited;
}

// A client that was refused a second connection may use its first one when the call on it ends.
TEST(ServerTest, RefusedCallUsesOtherConnection) {
  FakeMaster master;
  Gate gate, entered;
  master.on_query = [&](const QueryRequest& request) {
    if (request.job == "held") {
      entered.Open();
      gate.Wait();
    }
    return std::string("{}");
  };
  auto server = StartServer(&master, {.max_connections = 1});
  auto client = ConnectTo(server->port());
  Thread holder("holder", [&] { EXPECT_TRUE(client->Query({.job = "held"}, kLong).ok()); });
  entered.Wait();
  Thread waiter("waiter", [&] { EXPECT_TRUE(client->Query({}, kLong).ok()); });
  while (server->refused() == 0) {
  }
  gate.Open();
  holder.Join();
  waiter.Join();
}

TEST(ServerTest, LostHeartbeatConnectionIsReported) {
  FakeMaster master;
  master.numbers_sessions = true;
  auto server = StartServer(&master);
  {
    auto stranger = ConnectTo(server->port());
    ASSERT_FALSE(stranger->Heartbeat({.session = 666}, kLong).ok());
    auto other = ConnectTo(server->port());
    ASSERT_TRUE(other->Query({}, kLong).ok());
  }
  std::vector<std::unique_ptr<Client>> executors;
  for (uint64_t session : {1, 2}) {
    executors.push_back(ConnectTo(server->port()));
    ASSERT_TRUE(executors.back()->Register({}, kLong).ok());
    ASSERT_TRUE(executors.back()->Heartbeat({.session = session}, kLong).ok());
  }
  executors[0].reset();
  EXPECT_EQ(master.WaitForLost(1), (std::vector<uint64_t>{1}));
  executors[1].reset();
  EXPECT_EQ(master.WaitForLost(2), (std::vector<uint64_t>{1, 2}));
}

// A session is not lost if its peer has only reconnected.
TEST(ServerTest, OnlyTheLastHeartbeatConnectionOfASessionCounts) {
  HeartbeatConnections connections;
  connections.Add(7);
  connections.Add(7);
  connections.Add(8);
  EXPECT_FALSE(connections.Remove(7));
  EXPECT_TRUE(connections.Remove(8));
  EXPECT_TRUE(connections.Remove(7));
  EXPECT_FALSE(connections.Remove(7));
}

TEST(ClientTest, RefusedIsUnavailableWithARemedy) {
  FakeMaster master;
  auto server = StartServer(&master);
  const int port = server->port();
  server.reset();
  const Status status = ConnectTo(port)->Query({}, kLong).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_EQ(ErrorWhere(status), "dl://127.0.0.1:" + std::to_string(port));
  EXPECT_NE(ErrorRemedy(status), "");
}

}  // namespace
}  // namespace dl::rpc
