// Calls every method over real sockets.
#include <gtest/gtest.h>

#include "tests/unit/rpc/methods.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

class CallsTest : public testing::Test {
 protected:
  // Opens the session that all samples belong to.
  CallsTest() {
    EXPECT_TRUE(client_->Register({}, kLong).ok());
    master_.Forget();
  }

  // Returns the sample as the master receives it. The server adds the identity of the caller.
  template <typename Request>
  Request Arriving() {
    Request request = Sample<Request>();
    if constexpr (requires { request.by; }) {
      request.by = {.owner = "tester",
                    .role = security::Role::kAdmin,
                    .token = test::TokenOf(security::Role::kAdmin).id};
    }
    if constexpr (requires { request.holder; }) {
      request.holder = master_.request<Request>().holder;
      EXPECT_FALSE(request.holder.empty());
      request.token = test::TokenOf(security::Role::kAdmin).id;
      request.is_of_admin = true;
    }
    return request;
  }

  FakeMaster master_;
  std::unique_ptr<Server> server_ = StartServer(&master_);
  std::unique_ptr<Client> client_ = ConnectTo(server_->port());
};

#define DL_CALL(Name, Reply, Request)                               \
  TEST_F(CallsTest, Name) {                                         \
    auto reply = client_->Name(Sample<Request>(), kLong);           \
    ASSERT_TRUE(reply.ok()) << reply.status();                      \
    EXPECT_TRUE(*reply == Sample<Reply>());                         \
    EXPECT_EQ(master_.method(), #Name);                             \
    EXPECT_TRUE(master_.request<Request>() == Arriving<Request>()); \
  }
#define DL_CALL_VOID(Name, Request)                                 \
  TEST_F(CallsTest, Name) {                                         \
    const Status status = client_->Name(Sample<Request>(), kLong);  \
    ASSERT_TRUE(status.ok()) << status;                             \
    EXPECT_EQ(master_.method(), #Name);                             \
    EXPECT_TRUE(master_.request<Request>() == Arriving<Request>()); \
  }
DL_RPC_METHODS(DL_CALL, DL_CALL_VOID)

TEST_F(CallsTest, DeadlineIsSentToServer) {
  ASSERT_TRUE(client_->Query(Sample<QueryRequest>(), std::chrono::seconds(60)).ok());
  EXPECT_LE(master_.deadline(), std::chrono::seconds(60));
  EXPECT_GT(master_.deadline(), std::chrono::seconds(20));
}

TEST_F(CallsTest, FetchBlockGoesToTheServiceOfThePeer) {
  FakeMaster executors, clients;
  auto server = Server::Listen({});
  ASSERT_TRUE(server.ok());
  (*server)->Serve({.executors = &executors, .clients = &clients, .tokens = &test::TestTokens()});
  auto client = ConnectTo((*server)->port());
  ASSERT_TRUE(client->FetchBlock({.session = 0, .sha256 = "x"}, kLong).ok());
  EXPECT_EQ(clients.method(), "FetchBlock");
  EXPECT_EQ(executors.method(), "");
  const auto joined = client->Register({}, kLong);
  ASSERT_TRUE(joined.ok()) << joined.status();
  ASSERT_TRUE(client->FetchBlock({.session = joined->session, .sha256 = "y"}, kLong).ok());
  EXPECT_EQ(executors.method(), "FetchBlock");
}

TEST_F(CallsTest, ErrorIsCompleteAndKeepsConnection) {
  master_.error =
      NotFound({.message = "no such job", .where = "job x", .remedy = "Run dl-submit list."});
  EXPECT_EQ(client_->Query(Sample<QueryRequest>(), kLong).status(), master_.error);
  EXPECT_EQ(client_->PutBlocks(Sample<PutBlocksRequest>(), kLong), master_.error);
  EXPECT_EQ(client_->Heartbeat(Sample<HeartbeatRequest>(), kLong).status(), master_.error);
}

TEST_F(CallsTest, MissingServiceIsUnimplemented) {
  auto server = Server::Listen({});
  ASSERT_TRUE(server.ok());
  (*server)->Serve({.tokens = &test::TestTokens()});
  auto client = ConnectTo((*server)->port());
  EXPECT_EQ(client->Query({}, kLong).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(client->Heartbeat({}, kLong).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(CallsTest, OversizedAnswerIsErrorAndKeepsConnection) {
  FakeMaster master;
  master.on_query = [](const QueryRequest& request) {
    return std::string(request.job == "large" ? limits::kMaxStringBytes + 1 : 3, 'x');
  };
  auto server = StartServer(&master);
  auto client = ConnectTo(server->port());
  EXPECT_EQ(client->Query({.job = "large"}, kLong).status().code(),
            absl::StatusCode::kResourceExhausted);
  auto small = client->Query({.job = "small"}, kLong);
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ(small->json, "xxx");
}

TEST_F(CallsTest, OversizedRequestIsNotSent) {
  EXPECT_EQ(
      client_->PutBlocks({.bytes = std::string(limits::kMaxStringBytes + 1, 'x')}, kLong).code(),
      absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(master_.method(), "");
}

TEST_F(CallsTest, LargestBlockPasses) {
  const PutBlocksRequest request{.sha256 = {"s"},
                                 .sizes = {limits::kMaxBlockBytes},
                                 .bytes = std::string(limits::kMaxBlockBytes, 'y')};
  ASSERT_TRUE(client_->PutBlocks(request, kLong).ok());
  EXPECT_TRUE(master_.request<PutBlocksRequest>().bytes == request.bytes);
}

TEST_F(CallsTest, MoreBlockNamesThanAMessageHolds) {
  // The client splits the request. Each part is answered with the sample, which has one missing
  // name.
  MissingBlocksRequest request{.sha256 =
                                   std::vector<std::string>(2 * limits::kMaxListEntries + 1, "n")};
  auto reply = client_->MissingBlocks(request, kLong);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->missing.size(), 3u);
}

// Thrift 0.17 counts the bytes of all messages of a connection against the limit of a single
// message.
TEST_F(CallsTest, MoreBytesThanAMessageMayHaveOverOneConnectionBothWays) {
  FakeMaster master;
  std::atomic<int64_t> pushed = 0;
  std::atomic<bool> intact = true;
  const std::string chunk(limits::kChunkBytes, 'z');
  master.on_contribute = [&](const ContributionChunk& c) {
    pushed += static_cast<int64_t>(c.bytes.size());
    if (c.bytes != chunk) intact = false;
  };
  master.on_fetch_part = [&](const FetchRequest&) { return Chunk{.bytes = chunk}; };
  auto server = StartServer(&master);
  auto client = JoinedTo(server->port(), {.bulk_connections = 1});
  ContributionChunk contribution = Sample<ContributionChunk>();
  contribution.bytes = chunk;
  constexpr int kChunks = 56;
  for (int i = 0; i < kChunks; ++i) {
    ASSERT_TRUE(client->Contribute(contribution, kLong).ok()) << i;
    auto part = client->FetchPart(Sample<FetchRequest>(), kLong);
    ASSERT_TRUE(part.ok()) << i << ": " << part.status();
    ASSERT_EQ(part->bytes.size(), chunk.size());
  }
  EXPECT_EQ(pushed, kChunks * limits::kChunkBytes);
  EXPECT_GT(pushed, 200 << 20);
  EXPECT_TRUE(intact);
}

// Thrift counts small fields in other code than large fields.
TEST_F(CallsTest, ManyMiddleSizedStringsOverOneConnection) {
  const std::string manifest(30'000, 'm');
  for (int i = 0; i < 3500; ++i) {
    auto reply = client_->Submit({.request_id = "r", .spec = manifest}, kLong);
    ASSERT_TRUE(reply.ok()) << i << ": " << reply.status();
  }
}

}  // namespace
}  // namespace dl::rpc
