// Finds out which user owns the process at the other end of a loopback connection, before a client
// sends its token.
#include "rpc/socket_owner.h"

#include <sys/fsuid.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/thread.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

constexpr uid_t kOtherUser = 65534;

// Makes this thread create sockets as another user until the end of the scope.
class AsOtherUser {
 public:
  AsOtherUser() { ::setfsuid(kOtherUser); }
  ~AsOtherUser() { ::setfsuid(geteuid()); }
  AsOtherUser(const AsOtherUser&) = delete;
};

// Returns a loopback address for "::1" or "127.0.0.1". Port 0 means any port.
sockaddr_storage Address(const std::string& host, int port) {
  sockaddr_storage address{};
  if (host == "::1") {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr);
  } else {
    auto& v4 = reinterpret_cast<sockaddr_in&>(address);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET, host.c_str(), &v4.sin_addr);
  }
  return address;
}

socklen_t SizeOf(const sockaddr_storage& address) {
  return address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

// Listens as another user and records what it receives.
class Thief {
 public:
  explicit Thief(const std::string& host, int port = 0) {
    const AsOtherUser as_somebody;
    sockaddr_storage address = Address(host, port);
    fd_ = ::socket(address.ss_family, SOCK_STREAM, 0);
    listens_ = ::bind(fd_, reinterpret_cast<sockaddr*>(&address), SizeOf(address)) == 0 &&
               ::listen(fd_, 8) == 0;
    socklen_t size = sizeof address;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  }
  ~Thief() { ::close(fd_); }
  Thief(const Thief&) = delete;

  bool listens() const { return listens_; }
  int port() const { return port_; }

  // Returns everything that the next connection sends until its end.
  std::string HearOne() {
    const AsOtherUser as_somebody;
    const int peer = ::accept(fd_, nullptr, nullptr);
    std::string heard;
    char buffer[4096];
    for (ssize_t n; (n = ::recv(peer, buffer, sizeof buffer, 0)) > 0;)
      heard.append(buffer, static_cast<size_t>(n));
    ::close(peer);
    return heard;
  }

 private:
  int fd_ = -1, port_ = 0;
  bool listens_ = false;
};

class SocketOwnerTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make another user's sockets";
  }
};

// The name localhost has two addresses. Another user may listen at the address that the master does
// not use.
TEST_P(SocketOwnerTest, ListenerOfOtherUserReceivesNothing) {
  FakeMaster master;
  const auto server = StartServer(&master);  // listens on 127.0.0.1
  const bool same_port = std::string(GetParam()) == "::1";
  Thief thief(GetParam(), same_port ? server->port() : 0);
  ASSERT_TRUE(thief.listens());
  auto client =
      Client::Connect({.endpoint = {GetParam(), thief.port()}, .credentials = test::Admitted()});
  ASSERT_TRUE(client.ok()) << client.status();
  // The connection is not accepted yet. The kernel then reports the owner of the listener.
  const Status denied = (*client)->Query({}, kLong).status();
  EXPECT_TRUE(absl::IsUnauthenticated(denied)) << denied;
  EXPECT_NE(denied.message().find("another user of this machine (65534)"), std::string::npos)
      << denied;
  EXPECT_NE(ErrorRemedy(denied).find("--master-user 65534"), std::string::npos) << denied;
  EXPECT_EQ(thief.HearOne(), "");
  EXPECT_TRUE(ConnectTo(server->port())->Query({}, kLong).ok()) << "this user's own is spoken to";
}

TEST_P(SocketOwnerTest, MasterOfNamedUserIsAccepted) {
  Thief named(GetParam());
  ASSERT_TRUE(named.listens());
  Credentials credentials = test::Admitted();
  credentials.master_users = {1, kOtherUser};
  auto client =
      Client::Connect({.endpoint = {GetParam(), named.port()}, .credentials = credentials});
  ASSERT_TRUE(client.ok()) << client.status();
  std::string heard;
  Thread listening("listening", [&] { heard = named.HearOne(); });
  (void)(*client)->Query({}, std::chrono::milliseconds(500)).status();
  listening.Join();
  EXPECT_NE(heard.find(credentials.token), std::string::npos);
}

TEST_P(SocketOwnerTest, AcceptingProcessIsPeer) {
  const Thief thief(GetParam());
  const sockaddr_storage address = Address(GetParam(), thief.port());
  const int fd = ::socket(address.ss_family, SOCK_STREAM, 0);
  ASSERT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), SizeOf(address)), 0);
  EXPECT_EQ(OwnerOfPeer(fd), kOtherUser);
  EXPECT_EQ(OwnerOfListener(thief.port()), kOtherUser);
  ::close(fd);
}

INSTANTIATE_TEST_SUITE_P(Addresses, SocketOwnerTest, testing::Values("127.0.0.1", "::1"),
                         [](const auto& info) {
                           return std::string(info.param) == "::1" ? "V6" : "V4";
                         });

// Tables as read on a real machine. The port of the master is 7077, in hexadecimal 1BA5.
constexpr char kHead[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt"
    "   uid  timeout inode\n";

std::string Entry(const std::string& local, const std::string& remote, const std::string& state,
                  int user, int inode) {
  return absl::StrCat("   1: ", local, " ", remote, " ", state,
                      " 00000000:00000000 00:00000000 00000000  ", user, "        0 ", inode,
                      " 1 0000000097a2ea4d 100 0 0 10 0\n");
}

const std::string kUnknownSender(32, '0');
const SocketEnds kV4 = {.local = Address("127.0.0.1", 40000), .remote = Address("127.0.0.1", 7077)};
const SocketEnds kV6 = {.local = Address("::1", 40000), .remote = Address("::1", 7077)};
constexpr char kOurs[] = "0100007F:9C40", kTheirs[] = "0100007F:1BA5";
constexpr char kOurs6[] = "00000000000000000000000001000000:9C40";
constexpr char kTheirs6[] = "00000000000000000000000001000000:1BA5";

TEST(SocketOwnerTables, OtherEndIsFound) {
  const std::string tcp =
      kHead + Entry(kOurs, kTheirs, "01", 1000, 5) + Entry(kTheirs, kOurs, "01", 1001, 6);
  EXPECT_EQ(OwnerOfPeer(tcp, kHead, kV4), 1001u) << "and not this one";
  EXPECT_EQ(OwnerOfPeer(tcp, kHead, kV6), std::nullopt);
  const std::string tcp6 = kHead + Entry(kTheirs6, kOurs6, "01", 1002, 6);
  EXPECT_EQ(OwnerOfPeer(tcp, tcp6, kV6), 1002u);
}

// Older kernels report user 0 for a connection that is not accepted yet. The owner is then that of
// the listener.
TEST(SocketOwnerTables, BeforeItIsAcceptedItIsTheListeners) {
  const std::string waiting = Entry(kTheirs, kOurs, "01", 0, 0);
  const std::string listener = Entry(kTheirs, "00000000:0000", "0A", 1001, 7);
  const std::string on_all = Entry("00000000:1BA5", "00000000:0000", "0A", 1002, 8);
  EXPECT_EQ(OwnerOfPeer(kHead + waiting + on_all + listener, "", kV4), 1001u);
  EXPECT_EQ(OwnerOfPeer(kHead + on_all + waiting, "", kV4), 1002u);
  const std::string other_port = Entry("0100007F:1BA6", "00000000:0000", "0A", 1003, 8);
  EXPECT_EQ(OwnerOfPeer(kHead + waiting + other_port, "", kV4), std::nullopt);
  const std::string waiting6 = Entry(kTheirs6, kOurs6, "01", 0, 0);
  const std::string on_all6 =
      Entry(kUnknownSender + ":1BA5", kUnknownSender + ":0000", "0A", 1004, 9);
  EXPECT_EQ(OwnerOfPeer("", kHead + waiting6 + on_all6, kV6), 1004u);
  EXPECT_EQ(OwnerOfPeer(kHead + waiting + listener, kHead + waiting6, kV6), std::nullopt)
      << "a listener of the other address is somebody else";
}

// The table of IPv6 contains the IPv4 connections of a listener of both families.
TEST(SocketOwnerTables, MappedAddressIsEqual) {
  const std::string mapped = "0000000000000000FFFF0000";
  const std::string accepted = Entry(mapped + kTheirs, mapped + kOurs, "01", 1001, 6);
  EXPECT_EQ(OwnerOfPeer(kHead + Entry(kOurs, kTheirs, "01", 1000, 5), kHead + accepted, kV4),
            1001u);
  const std::string waiting = Entry(mapped + kTheirs, mapped + kOurs, "01", 0, 0);
  const std::string on_all =
      Entry(kUnknownSender + ":1BA5", kUnknownSender + ":0000", "0A", 1004, 9);
  EXPECT_EQ(OwnerOfPeer(kHead, kHead + waiting + on_all, kV4), 1004u);
}

TEST(SocketOwnerTables, MalformedTableIsIgnored) {
  for (const std::string table : {"", "x", " 0100007F:1BA5 0100007F:9C40 ",
                                  "   1: 0100007F:1BA5 0100007F:9C40 01 0 0 0 nobody 0 5\n"})
    EXPECT_EQ(OwnerOfPeer(table, table, kV4), std::nullopt) << table;
}

}  // namespace
}  // namespace dl::rpc
