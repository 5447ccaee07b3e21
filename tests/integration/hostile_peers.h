// Peers of a real master that send raw bytes, and tokens for them.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "rpc/client.h"
#include "rpc/messages.h"
#include "rpc/protocol_version.h"
#include "security/token.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/raw_peer.h"

namespace dl::test {

// Returns a connection that has sent Hello and read the reply.
inline std::unique_ptr<rpc::RawPeer> GreetedAs(int port, const std::string& credential) {
  auto peer = std::make_unique<rpc::RawPeer>(port);
  EXPECT_TRUE(peer->Send(rpc::HelloCall(rpc::kProtocolVersion, credential)));
  // Reads the whole reply, so that the next bytes answer the attack. It has a header, a name, a
  // number, the reply's field and the protocol. Three texts follow with their fields and lengths:
  // version, owner and role.
  EXPECT_EQ(peer->Read(4), rpc::I32(0x80010002u));
  EXPECT_EQ(peer->Read(23).size(), 23u);
  for (int text = 0; text < 3; ++text) {
    const std::string head = peer->Read(7);
    EXPECT_EQ(head.size(), 7u);
    EXPECT_EQ(head.substr(3, 3), std::string(3, '\0'));
    peer->Read(static_cast<uint8_t>(head.back()));
  }
  peer->Read(2);
  return peer;
}

// Returns the credential of a new token that an admin creates.
inline std::string NewCredential(StandingCluster& cluster, const std::string& role) {
  const auto admin = rpc::Client::Connect(
      {.endpoint = {"127.0.0.1", cluster.port()}, .credentials = cluster.credentials()});
  DL_EXPECT_OK(admin);
  const auto made =
      (*admin)->CreateToken({.owner = "hostile", .role = role}, std::chrono::seconds(60));
  DL_EXPECT_OK(made);
  const auto token = security::ParseToken(made->token);
  DL_EXPECT_OK(token);
  return token->credential();
}

}  // namespace dl::test
