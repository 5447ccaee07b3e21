#include "rpc/endpoint.h"

#include <gtest/gtest.h>

namespace dl::rpc {
namespace {

TEST(EndpointTest, ParsesHostsAndPorts) {
  EXPECT_EQ(*ParseEndpoint("dl://127.0.0.1:7077"), (Endpoint{"127.0.0.1", 7077}));
  EXPECT_EQ(*ParseEndpoint("dl://node-3.cluster_a:1"), (Endpoint{"node-3.cluster_a", 1}));
  EXPECT_EQ(*ParseEndpoint("dl://[::1]:65535"), (Endpoint{"::1", 65535}));
}

TEST(EndpointTest, RoundTrips) {
  for (const char* text : {"dl://127.0.0.1:7077", "dl://[::1]:65535"}) {
    EXPECT_EQ(ToString(*ParseEndpoint(text)), text);
  }
}

TEST(EndpointTest, RefusesInvalidText) {
  for (const char* text :
       {"", "127.0.0.1:7077", "http://a:1", "dl://", "dl://a", "dl://a:", "dl://:1", "dl://a:0",
        "dl://a:65536", "dl://a:-1", "dl://a:+1", "dl://a: 1", "dl://a:1/x", "dl://a b:1",
        "dl://::1:7077", "dl://[]:1", "dl://[g]:1", "dl://a:99999999999"}) {
    auto endpoint = ParseEndpoint(text);
    EXPECT_EQ(endpoint.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_FALSE(ParseEndpoint("dl://" + std::string(254, 'a') + ":1").ok());
}

}  // namespace
}  // namespace dl::rpc
