// A server with a fake master, and clients that connect to it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "rpc/client.h"
#include "rpc/server.h"
#include "tests/support/admitted.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::rpc {

inline constexpr Duration kLong = std::chrono::seconds(60);

inline std::unique_ptr<Server> StartServer(FakeMaster* master, ServerOptions options = {}) {
  options.version = "server-version";
  auto server = Server::Listen(options);
  EXPECT_TRUE(server.ok()) << server.status();
  (*server)->Serve(
      {.executors = master, .clients = master, .admins = master, .tokens = &test::TestTokens()});
  return *std::move(server);
}

inline std::unique_ptr<Client> ConnectTo(int port, ClientOptions options = {}) {
  options.endpoint = {.host = "127.0.0.1", .port = port};
  options.version = "client-version";
  if (options.credentials.token.empty()) options.credentials = test::Admitted();
  auto client = Client::Connect(std::move(options));
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

// Returns a client that has registered as an executor. The sample messages belong to its session.
inline std::unique_ptr<Client> JoinedTo(int port, ClientOptions options = {}) {
  auto client = ConnectTo(port, std::move(options));
  const Status joined = client->Register({}, kLong).status();
  EXPECT_TRUE(joined.ok()) << joined;
  return client;
}

}  // namespace dl::rpc
