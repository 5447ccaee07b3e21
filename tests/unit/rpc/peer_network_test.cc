#include "rpc/peer_network.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "rpc/connection_table.h"

namespace dl::rpc {
namespace {

TEST(PeerNetwork, Ipv6AddressesOfOneLinkAreOneNetwork) {
  EXPECT_EQ(NetworkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(NetworkOf("2001:db8:1:2::9"), NetworkOf("2001:db8:1:2:ffff::1"));
  EXPECT_NE(NetworkOf("2001:db8:1:2::9"), NetworkOf("2001:db8:1:3::9"));
  EXPECT_EQ(NetworkOf("fe80::1%eth0"), "fe80::/64");
}

TEST(PeerNetwork, OtherAddressesStandForThemselves) {
  EXPECT_EQ(NetworkOf("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(NetworkOf("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(NetworkOf("::1"), "::1");
  EXPECT_EQ(NetworkOf(""), "");
}

TEST(PeerNetwork, UnauthenticatedPeersOfOneNetworkShareItsLimit) {
  Watchdog watchdog;
  ConnectionTable table(watchdog);
  for (int i = 0; i < limits::kMaxUnauthenticated; ++i)
    table.Add(NetworkOf(absl::StrCat("2001:db8::", absl::Hex(i + 1))), 1000 + i);
  table.Add(NetworkOf("2001:db8::ffff"), 1);  // replaces another connection
  EXPECT_FALSE(table.MayEnter(NetworkOf("2001:db8::abcd")));
  EXPECT_TRUE(table.MayEnter(NetworkOf("2001:db8:0:1::abcd")));
}

TEST(PeerNetwork, TokenHasALimitOfConnectionsFromAllAddresses) {
  Watchdog watchdog;
  ConnectionTable table(watchdog);
  const security::Identity caller = {.owner = "ann", .token = "t1"};
  for (uint64_t life = 1; life <= 10; ++life)
    EXPECT_TRUE(table.MarkAuthenticated(absl::StrCat("192.0.2.", life), life, caller, 10));
  EXPECT_FALSE(table.MarkAuthenticated("192.0.2.11", 11, caller, 10));
  EXPECT_TRUE(table.MarkAuthenticated("192.0.2.11", 11, {.owner = "ann", .token = "t2"}, 10));
}

TEST(PeerNetwork, EachOwnerOfCertificatesHasItsOwnLimit) {
  Watchdog watchdog;
  ConnectionTable table(watchdog);
  const security::Identity ada = {.owner = "ada"}, bob = {.owner = "bob"};
  for (uint64_t life = 1; life <= 10; ++life)
    EXPECT_TRUE(table.MarkAuthenticated(absl::StrCat("192.0.2.", life), life, ada, 10));
  EXPECT_FALSE(table.MarkAuthenticated("192.0.2.11", 11, ada, 10));
  EXPECT_TRUE(table.MarkAuthenticated("192.0.2.11", 11, bob, 10));
  // The limits of a certificate and of a token with the same name are separate.
  EXPECT_TRUE(table.MarkAuthenticated("192.0.2.12", 12, {.owner = "ann", .token = "ada"}, 10));
  table.Remove("192.0.2.1", 1, ada);
  EXPECT_TRUE(table.MarkAuthenticated("192.0.2.1", 13, ada, 10));
}

}  // namespace
}  // namespace dl::rpc
