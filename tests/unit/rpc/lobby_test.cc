// The lobby: connections that have not sent Hello yet.
#include "rpc/lobby.h"

#include <gtest/gtest.h>
#include <thrift/transport/TServerSocket.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/limits.h"
#include "rpc/connection_table.h"
#include "security/certificates.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

constexpr auto kPatient = std::chrono::minutes(10);

class LobbyTest : public testing::Test {
 protected:
  void Serve(ServerOptions options) { server_ = StartServer(&master_, std::move(options)); }
  // Opens `count` connections. Each sends `said`.
  void Come(int count, const std::string& said = "") {
    for (int i = 0; i < count; ++i) {
      peers_.push_back(std::make_unique<RawPeer>(server_->port()));
      if (!said.empty()) {
        ASSERT_TRUE(peers_.back()->Send(said));
      }
    }
  }
  int64_t Closed() const {
    return std::ranges::count_if(peers_, [](const auto& peer) { return peer->IsClosed(); });
  }
  void ExpectAnAnswer() { EXPECT_TRUE(ConnectTo(server_->port())->Query({}, kLong).ok()); }

  FakeMaster master_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<RawPeer>> peers_;
};

TEST_F(LobbyTest, SilentConnectionUsesNoThread) {
  Serve({.hello_deadline = kPatient});
  Come(static_cast<int>(limits::kMaxUnauthenticated) + 100);
  const auto client = ConnectTo(server_->port());
  EXPECT_TRUE(client->Query({}, kLong).ok());  // this client connected after all of them
  EXPECT_EQ(server_->connections(), 1);
  EXPECT_EQ(Closed(), 0) << "they are in nobody's way";
  ASSERT_TRUE(peers_.front()->Send(HelloCall(kProtocolVersion, test::Admitted().token)));
  EXPECT_EQ(peers_.front()->Read(20).back(), '\0');
  EXPECT_EQ(server_->connections(), 2);
}

TEST_F(LobbyTest, SilentConnectionIsClosedAfterTimeout) {
  Serve({.hello_deadline = std::chrono::milliseconds(100)});
  Come(3);
  for (const auto& peer : peers_) EXPECT_TRUE(peer->ClosedByPeer());
  ExpectAnAnswer();
}

TEST_F(LobbyTest, DisconnectedPeerIsClosedAtOnce) {
  Serve({.hello_deadline = kPatient});
  Come(1);
  peers_.front()->EndSending();
  EXPECT_TRUE(peers_.front()->ClosedByPeer());
}

TEST_F(LobbyTest, FullLobbyReplacesOldestConnection) {
  constexpr int kPlaces = 16, kTooMany = 5;
  Serve({.max_connections = 4, .hello_deadline = kPatient});
  Come(kPlaces + kTooMany);
  // The order of the connections depends on the kernel.
  while (Closed() < kTooMany) {
  }
  ExpectAnAnswer();
  EXPECT_LE(Closed(), kTooMany + 1) << "whoever asked had a place for a moment";
}

// The system may have no descriptor for a connection for a moment. Such an error once closed the
// port for good.
TEST(Lobby, ConnectionThatCannotBeAcceptedIsTriedAgain) {
  using apache::thrift::transport::TTransportException;
  const auto lobby = Lobby::Open(
      {.capacity = 4, .timeout = kPatient, .may_enter = [](const std::string&) { return true; }});
  ASSERT_TRUE(lobby.ok()) << lobby.status();
  apache::thrift::transport::TServerSocket port("127.0.0.1", 0);
  port.listen();
  RawPeer peer(port.getPort());
  ASSERT_TRUE(peer.Send("x"));
  int tries = 0;
  const Lobby::Socket socket = (*lobby)->Next(port.getSocketFD(), [&]() -> Lobby::Socket {
    if (++tries < 3) throw TTransportException(TTransportException::UNKNOWN, "accept()", EMFILE);
    return std::static_pointer_cast<apache::thrift::transport::TSocket>(port.accept());
  });
  EXPECT_NE(socket, nullptr);
  EXPECT_EQ(tries, 3);
}

TEST(Lobby, OldestConnectionIsClosedWhenAcceptFails) {
  using apache::thrift::transport::TTransportException;
  const auto lobby = Lobby::Open(
      {.capacity = 4, .timeout = kPatient, .may_enter = [](const std::string&) { return true; }});
  ASSERT_TRUE(lobby.ok()) << lobby.status();
  apache::thrift::transport::TServerSocket port("127.0.0.1", 0);
  port.listen();
  RawPeer silent(port.getPort());
  std::unique_ptr<RawPeer> second;
  const Lobby::Socket socket = (*lobby)->Next(port.getSocketFD(), [&]() -> Lobby::Socket {
    if (second == nullptr) {
      second = std::make_unique<RawPeer>(port.getPort());
      EXPECT_TRUE(second->Send("x"));
    } else if (!silent.IsClosed()) {
      throw TTransportException(TTransportException::UNKNOWN, "accept()", EMFILE);
    }
    return std::static_pointer_cast<apache::thrift::transport::TSocket>(port.accept());
  });
  EXPECT_NE(socket, nullptr);
  EXPECT_TRUE(silent.ClosedByPeer());
}

TEST_F(LobbyTest, WaitsForCompleteHandshake) {
  const test::TempFolder folder;
  const security::KeyFiles files = security::KeyFilesIn(folder / "keys");
  ASSERT_TRUE(security::MakeAuthority(files).ok());
  ASSERT_TRUE(security::IssueCertificate(files, {"127.0.0.1"}).ok());
  const security::MasterTls tls{.certificate = files.certificate, .key = files.key};
  Serve({.tls = tls, .hello_deadline = kPatient});
  const auto client =
      ConnectTo(server_->port(), {.credentials = {.token = test::Admitted().token,
                                                  .fingerprint = *security::FingerprintOf(tls)}});
  // A TLS record of 512 bytes: sent partly, and sent except for its last byte.
  const std::string begin("\x16\x03\x01\x02\x00\x01", 6);
  Come(1, begin.substr(0, 3));
  Come(1, begin);
  Come(1, begin + std::string(510, '\0'));
  EXPECT_TRUE(client->Query({}, kLong).ok());
  EXPECT_EQ(server_->connections(), 1);
  ASSERT_TRUE(peers_.back()->Send("\x01"));  // the last byte: OpenSSL now rejects the record
  EXPECT_TRUE(peers_.back()->ClosedByPeer());
  EXPECT_EQ(Closed(), 1);
  server_->Stop();
  for (const auto& peer : peers_) EXPECT_TRUE(peer->ClosedByPeer());
}

// New unauthenticated connections replace older ones, but at a limited rate: a closed peer may
// reconnect at once.
TEST_F(LobbyTest, UnknownAddressesWaitAndKnownDoNot) {
  constexpr int kTooMany = 500, kSome = 40;
  const Instant begin = Clock::Real().Now();
  Serve({.hello_deadline = kPatient});
  Come(static_cast<int>(limits::kMaxUnauthenticated) + kTooMany, "?");
  ExpectAnAnswer();
  EXPECT_LT(Closed(), kTooMany) << "it came last, and all came in before it";
  while (Closed() < kSome) {
  }
  EXPECT_GE(Clock::Real().Now() - begin, (kSome - 1) * kUnauthenticatedInterval);
}

TEST_F(LobbyTest, OtherAddressDoesNotWait) {
  Serve({.hello_deadline = kPatient});
  Come(static_cast<int>(limits::kMaxUnauthenticated) + 64, "?");
  RawPeer other(server_->port(), "127.0.0.2");
  ASSERT_TRUE(other.Send(HelloCall(kProtocolVersion, test::Admitted().token)));
  EXPECT_EQ(other.Read(20).back(), '\0');
}

}  // namespace
}  // namespace dl::rpc
