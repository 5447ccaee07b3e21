// Calls over TLS: they work if the peer is the expected master, and fail otherwise.
#include <gtest/gtest.h>

#include "base/thread.h"
#include "security/certificates.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

// The keys of a cluster, in a folder of its own.
struct Keys {
  explicit Keys(const std::string& data_dir, std::vector<std::string> names = {"127.0.0.1"})
      : files(security::KeyFilesIn(data_dir)),
        tls{.certificate = files.certificate, .key = files.key} {
    EXPECT_TRUE(security::MakeAuthority(files).ok());
    EXPECT_TRUE(security::IssueCertificate(files, names).ok());
    fingerprint = security::FingerprintOf(tls).value_or("");
  }
  security::KeyFiles files;
  security::MasterTls tls;
  std::string fingerprint;
};

class EncryptedTest : public testing::Test {
 protected:
  std::unique_ptr<Client> Connect(const std::string& fingerprint) {
    return ConnectTo(server_->port(), {.credentials = {.token = test::Admitted().token,
                                                       .fingerprint = fingerprint}});
  }
  void Serve(const security::MasterTls& tls) { server_ = StartServer(&master_, {.tls = tls}); }

  const test::TempFolder folder_;
  const Keys keys_{folder_ / "ours"};
  FakeMaster master_;
  std::unique_ptr<Server> server_ = StartServer(&master_, {.tls = keys_.tls});
};

TEST_F(EncryptedTest, CallsPassAndConnectionsAreKept) {
  const auto client = Connect(keys_.fingerprint);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client->Query({}, kLong).ok());
  EXPECT_EQ(server_->connections(), 1);
  const PutBlocksRequest large{.sha256 = {"s"},
                               .sizes = {limits::kMaxBlockBytes},
                               .bytes = std::string(limits::kMaxBlockBytes, 'y')};
  const Status put = client->PutBlocks(large, kLong);
  EXPECT_TRUE(put.ok()) << put;
  EXPECT_TRUE(master_.request<PutBlocksRequest>().bytes == large.bytes);
  master_.on_query = [](const QueryRequest&) { return std::string(4 << 20, 'x'); };
  const auto answer = client->Query({.what = rpc::QueryKind::kSpec}, kLong);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->json.size(), size_t{4} << 20);
  EXPECT_EQ(server_->connections(), 1);
}

// The error must not look like a missing master, because an executor would wait for it for ever.
TEST_F(EncryptedTest, WebServerIsNoMaster) {
  RawListener listener;
  Thread http("http",
              [&] { listener.AnswerOne("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"); });
  const auto client = ConnectTo(
      listener.port(),
      {.credentials = {.token = test::Admitted().token, .fingerprint = keys_.fingerprint}});
  const Status status = client->Query({}, kLong).status();
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  EXPECT_NE(status.message().find("not with TLS"), std::string::npos) << status;
}

TEST_F(EncryptedTest, OtherClusterReceivesNothing) {
  const Keys others(folder_ / "others");
  const Status status = Connect(others.fingerprint)->Query({}, kLong).status();
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_NE(status.message().find("not the master"), std::string::npos) << status;
  EXPECT_EQ(master_.method(), "");
}

TEST_F(EncryptedTest, CertificateForOtherNameIsRefused) {
  const Keys elsewhere(folder_ / "elsewhere", {"example.org", "10.1.2.3", "::1"});
  Serve(elsewhere.tls);
  const Status status = Connect(elsewhere.fingerprint)->Query({}, kLong).status();
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_NE(status.message().find("not for that name"), std::string::npos) << status;
  EXPECT_NE(ErrorRemedy(status).find("--renew"), std::string::npos) << status;
  EXPECT_EQ(master_.method(), "");
}

TEST_F(EncryptedTest, SiteCaReplacesFingerprint) {
  const auto client = ConnectTo(
      server_->port(), {.credentials = {.token = test::Admitted().token, .ca = keys_.files.ca}});
  const auto answer = client->Query({}, kLong);
  EXPECT_TRUE(answer.ok()) << answer.status();
  const Keys others(folder_ / "others");
  const auto wrong = ConnectTo(
      server_->port(), {.credentials = {.token = test::Admitted().token, .ca = others.files.ca}});
  EXPECT_TRUE(absl::IsUnauthenticated(wrong->Query({}, kLong).status()));
}

TEST_F(EncryptedTest, PlainAndEncryptedPeersDoNotUnderstandEachOther) {
  const auto plain = ConnectTo(server_->port());
  EXPECT_TRUE(absl::IsUnavailable(plain->Query({}, kLong).status()));
  EXPECT_EQ(master_.method(), "");
  const auto unencrypted = StartServer(&master_);
  const auto client = ConnectTo(
      unencrypted->port(),
      {.credentials = {.token = test::Admitted().token, .fingerprint = keys_.fingerprint}});
  const Status status = client->Query({}, kLong).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(master_.method(), "");
}

// A client sends nothing unencrypted to an address other than loopback.
TEST_F(EncryptedTest, UnidentifiedMasterIsUsedOnlyOnLoopback) {
  for (const char* host : {"192.0.2.1", "example.org", "2001:db8::1"}) {
    const auto client = Client::Connect(
        {.endpoint = {host, 7077}, .credentials = {.token = test::Admitted().token}});
    EXPECT_TRUE(absl::IsUnauthenticated(client.status())) << host << client.status();
    EXPECT_NE(ErrorRemedy(client.status()).find("--token-file"), std::string::npos);
  }
}

TEST_F(EncryptedTest, UnfinishedHandshakeIsClosed) {
  server_ =
      StartServer(&master_, {.tls = keys_.tls, .hello_deadline = std::chrono::milliseconds(200)});
  RawPeer silent(server_->port()), half(server_->port()), garbage(server_->port());
  ASSERT_TRUE(half.Send(std::string("\x16\x03\x01\x02\x00", 5)));
  ASSERT_TRUE(garbage.Send(std::string(4096, '\xff')));
  for (RawPeer* peer : {&silent, &half, &garbage}) EXPECT_TRUE(peer->ClosedByPeer());
  EXPECT_TRUE(Connect(keys_.fingerprint)->Query({}, kLong).ok());
}

TEST_F(EncryptedTest, StopEndsIdleConnectionsAndHandshakes) {
  const auto client = Connect(keys_.fingerprint);
  ASSERT_TRUE(client->Query({}, kLong).ok());
  RawPeer half(server_->port());
  ASSERT_TRUE(half.Send(std::string("\x16\x03\x01\x02\x00", 5)));
  server_->Stop();
  EXPECT_TRUE(half.ClosedByPeer());
  EXPECT_TRUE(absl::IsUnavailable(client->Query({}, kLong).status()));
}

TEST_F(EncryptedTest, CallEndsAtDeadline) {
  Gate gate;
  master_.on_query = [&](const QueryRequest& request) {
    if (request.job == "held") gate.Wait();
    return std::string("{}");
  };
  const auto client = Connect(keys_.fingerprint);
  const Status status = client->Query({.job = "held"}, std::chrono::milliseconds(100)).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  gate.Open();
  EXPECT_TRUE(client->Query({}, kLong).ok());
}

TEST_F(EncryptedTest, InvalidKeysAreRefusedAtStart) {
  security::MasterTls missing = keys_.tls;
  missing.key = folder_ / "nowhere";
  EXPECT_EQ(ErrorWhere(Server::Listen({.tls = missing}).status()), missing.key);
  security::MasterTls swapped{.certificate = keys_.tls.key, .key = keys_.tls.certificate};
  const Status status = Server::Listen({.tls = swapped}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(ErrorWhere(status), swapped.certificate);
}

}  // namespace
}  // namespace dl::rpc
