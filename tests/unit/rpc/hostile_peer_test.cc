// How a server handles peers that send garbage, too much, or too little. Each test ends with a
// healthy call.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "base/thread.h"
#include "tests/support/process_figures.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

// Resets the peak memory of this process that the kernel reports.
void ResetPeak() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

class HostilePeerTest : public testing::Test {
 protected:
  ~HostilePeerTest() override {
    auto reply = client_->Query({}, kLong);
    EXPECT_TRUE(reply.ok()) << reply.status();
  }

  // Sends Hello and then the bytes. Returns true if the server closes without waiting for more.
  bool ClosesAfter(const std::string& bytes) {
    RawPeer peer(server_->port());
    EXPECT_TRUE(peer.Send(HelloCall(kProtocolVersion, test::Admitted().token)));
    EXPECT_EQ(peer.Read(4), I32(0x80010002u));  // a reply
    peer.Send(bytes);
    return peer.ClosedByPeer();
  }

  FakeMaster master_;
  // Long deadlines: the server must close because of the bytes and not because of a timeout.
  std::unique_ptr<Server> server_ =
      StartServer(&master_, {.hello_deadline = std::chrono::minutes(10)});
  std::unique_ptr<Client> client_ = ConnectTo(server_->port());
};

TEST_F(HostilePeerTest, GarbageInsteadOfHelloIsClosedAtOnce) {
  const std::string garbage[] = {
      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
      std::string(4096, '\xff'),
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8),  // TLS
      std::string(64, '\0'),
      I32(0x80010001u) + I32(0x7fffffff),  // a method name of 2 GiB
      I32(0x80010001u) + I32(0xffffffff),  // a method name of -1 bytes
      I32(0x80010001u) + I32(65),
      I32(0x80010002u) + Text("Hello") + I32(0),  // a reply
      CallHeader("Query"),                        // before Hello
      CallHeader("NoSuchMethod"),
      CallHeader("Hello") + Field(11, 1) + I32(0x7fffffff),  // an unknown string of 2 GiB
      CallHeader("Hello") + Field(12, 1) + Field(11, 2) + I32(0x7fffffff),
      CallHeader("Hello") + Field(99, 1),  // a type that does not exist
      CallHeader("Hello") + Field(13, 9) + std::string("\x0b\x0b", 2) + I32(1000000000),  // a map
      CallHeader("Hello") + Field(14, 9) + std::string("\x03", 1) + I32(1000000000),      // a set
      CallHeader("Hello") + Field(15, 9) + std::string("\x0f", 1) + I32(1000),  // a list of lists
      CallHeader("Hello") + Field(15, 9) + std::string("\x01", 1) +
          I32(1000000),  // a list of elements of type void
      CallHeader("Hello") + Field(15, 9) + std::string("\x03", 1) + I32(0xffffffff),
  };
  ResetPeak();
  const int64_t before = test::ProcessStatus(getpid(), "VmHWM");
  for (const std::string& bytes : garbage) {
    RawPeer peer(server_->port());
    ASSERT_TRUE(peer.connected());
    peer.Send(bytes);
    EXPECT_TRUE(peer.ClosedByPeer()) << bytes.substr(0, 24);
  }
  EXPECT_LT(test::ProcessStatus(getpid(), "VmHWM") - before, 64 << 20);
}

// Returns a call of Query whose field `job` has these bytes.
std::string QueryCall(const std::string& job) {
  return CallHeader("Query") + Field(12, 1) + Field(11, 2) + Text(job) + Field(8, 5) + I32(3) +
         std::string(1, '\0') + Field(10, 2) + I32(0) + I32(60'000) + std::string(1, '\0');
}

TEST_F(HostilePeerTest, InvalidUtf8IsRefusedAndKeepsConnection) {
  RawPeer peer(server_->port());
  ASSERT_TRUE(peer.Send(HelloCall(kProtocolVersion, test::Admitted().token)));
  // The reply consists of header, method, sequence number and field 0: a struct with protocol,
  // version, owner and role.
  const size_t hello = I32(0).size() + Text("Hello").size() + I32(0).size() + Field(12, 0).size() +
                       Field(8, 1).size() + I32(1).size() + Field(11, 2).size() +
                       Text("server-version").size() + Field(11, 3).size() + Text("tester").size() +
                       Field(11, 4).size() + Text("admin").size() + 2;
  ASSERT_EQ(peer.Read(hello).size(), hello);
  for (const std::string& bad : {std::string("job\xff"), std::string(limits::kMaxJobId + 1, 'x')}) {
    ASSERT_TRUE(peer.Send(QueryCall(bad)));
    const std::string begin = I32(0x80010002u) + Text("Query") + I32(0) + Field(12, 1) +
                              Field(11, 1) + Text("invalid_argument") + Field(11, 2);
    EXPECT_EQ(peer.Read(begin.size()), begin);
    for (const char* part : {"message", "where", "remedy"}) {
      const std::string size = peer.Read(4);
      ASSERT_EQ(size.substr(0, 2), std::string(2, '\0'));
      const std::string text =
          peer.Read(static_cast<uint8_t>(size[2]) * 256u + static_cast<uint8_t>(size[3]));
      EXPECT_TRUE(part != std::string("where") || text == "Query.job") << text;
      peer.Read(part == std::string("remedy") ? 2 : 3);
    }
  }
  EXPECT_EQ(master_.method(), "");
  ASSERT_TRUE(peer.Send(QueryCall("job-1")));
  const std::string good = I32(0x80010002u) + Text("Query") + I32(0) + Field(12, 0);
  EXPECT_EQ(peer.Read(good.size()), good);
  EXPECT_EQ(master_.request<QueryRequest>().job, "job-1");
}

TEST_F(HostilePeerTest, GreetingWithoutTextIsRefused) {
  RawPeer peer(server_->port());
  peer.Send(CallHeader("Hello") + Field(12, 1) + Field(8, 1) + I32(kProtocolVersion) +
            Field(11, 3) + Text("\xff\xfe") + std::string(2, '\0'));
  std::string answer;
  EXPECT_TRUE(peer.ClosedByPeer(&answer));
  EXPECT_NE(answer.find("Hello.role"), std::string::npos) << answer;
}

TEST_F(HostilePeerTest, DeeplyNestedStructsAreClosed) {
  std::string nest = CallHeader("Hello");
  for (int i = 0; i < 100'000; ++i) nest += Field(12, 9);
  RawPeer peer(server_->port());
  peer.Send(nest);
  EXPECT_TRUE(peer.ClosedByPeer());
}

TEST_F(HostilePeerTest, LengthsOverTheLimitsAreClosed) {
  const std::string query = CallHeader("Query") + Field(12, 1) + Field(11, 1);
  EXPECT_TRUE(ClosesAfter(query + I32(static_cast<uint32_t>(limits::kMaxStringBytes + 1))));
  const std::string names =
      CallHeader("MissingBlocks") + Field(12, 1) + Field(15, 1) + std::string("\x0b", 1);
  EXPECT_TRUE(ClosesAfter(names + I32(static_cast<uint32_t>(limits::kMaxListEntries + 1))));
  const std::string numbers =
      CallHeader("Announce") + Field(12, 1) + Field(15, 12) + std::string("\x04", 1);
  EXPECT_TRUE(ClosesAfter(numbers + I32(static_cast<uint32_t>(limits::kMaxContainer + 1))));
  EXPECT_TRUE(ClosesAfter(HelloCall(kProtocolVersion, test::Admitted().token)));  // a second Hello
}

TEST_F(HostilePeerTest, WrongLengthAllocatesLittle) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the kernel's count of this process's memory holds ThreadSanitizer's shadow too";
#endif
  // Many peers announce a string of the greatest length and send none of its bytes.
  ResetPeak();
  const int64_t before = test::ProcessStatus(getpid(), "VmHWM");
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (int i = 0; i < 20; ++i) {
    peers.push_back(std::make_unique<RawPeer>(server_->port()));
    ASSERT_TRUE(peers.back()->Send(HelloCall(kProtocolVersion, test::Admitted().token)));
    ASSERT_EQ(peers.back()->Read(4).size(), 4u);
    ASSERT_TRUE(peers.back()->Send(CallHeader("PutBlocks") + Field(12, 1) + Field(11, 3) +
                                   I32(static_cast<uint32_t>(limits::kMaxStringBytes))));
  }
  // The server answers a connection that was opened later, so it has read the announcements before
  // it stops.
  ASSERT_TRUE(client_->Query({}, kLong).ok());
  server_->Stop();
  EXPECT_LT(test::ProcessStatus(getpid(), "VmHWM") - before,
            20 * (limits::kChunkBytes + (1 << 20)) + (32 << 20));
  server_ = StartServer(&master_);
  client_ = ConnectTo(server_->port());
}

TEST_F(HostilePeerTest, EndlessMessageIsClosed) {
  // Unknown fields, each within the limits.
  std::string field = Field(11, 99) + Text(std::string(1 << 20, 'x'));
  RawPeer peer(server_->port());
  ASSERT_TRUE(peer.Send(CallHeader("Hello")));
  int sent = 0;
  while (sent < 400 && peer.Send(field)) ++sent;
  EXPECT_LT(sent, 400);
  EXPECT_TRUE(peer.ClosedByPeer());
}

TEST(HostilePeerTimeTest, SilenceAndHalfAHelloEndWithTheHelloDeadline) {
  FakeMaster master;
  auto server = StartServer(&master, {.hello_deadline = std::chrono::milliseconds(50)});
  RawPeer silent(server->port());
  RawPeer half(server->port());
  ASSERT_TRUE(half.Send(HelloCall(kProtocolVersion, test::Admitted().token).substr(0, 20)));
  EXPECT_TRUE(silent.ClosedByPeer());
  EXPECT_TRUE(half.ClosedByPeer());
}

TEST(HostilePeerTimeTest, ClientReopensIdleConnection) {
  FakeMaster master;
  auto server = StartServer(&master, {.idle_deadline = std::chrono::milliseconds(50)});
  RawPeer idle(server->port());
  ASSERT_TRUE(idle.Send(HelloCall(kProtocolVersion, test::Admitted().token)));
  EXPECT_TRUE(idle.ClosedByPeer());
  auto client = ConnectTo(server->port());
  ASSERT_TRUE(client->Register({}, kLong).ok());
  ASSERT_TRUE(client->Heartbeat(Sample<HeartbeatRequest>(), kLong).ok());
  master.WaitForLost(1);  // the server has closed the connection
  EXPECT_TRUE(client->Heartbeat(Sample<HeartbeatRequest>(), kLong).ok());
}

TEST(HostileServerTest, PeerThatIsNoMasterIsNamed) {
  RawListener listener;
  Thread http("http", [&] { listener.AnswerOne("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  const Status status = ConnectTo(listener.port())->Query({}, kLong).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
}

}  // namespace
}  // namespace dl::rpc
