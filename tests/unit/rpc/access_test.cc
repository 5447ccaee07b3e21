// Calls every method of the IDL with every role that may not call it. The server answers "denied"
// and the master is not called.
#include "rpc/access.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/thread.h"
#include "tests/support/folder_content.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

using security::Role;
using test::TestTokens;
using test::TokenOf;

constexpr Role kRoles[] = {Role::kRead, Role::kSubmit, Role::kExecute, Role::kAdmin};

// Returns the names of all methods. Parses lines such as "  Chunk FetchPart(1: FetchRequest
// request, ...".
std::set<std::string> MethodsOfTheIdl() {
  std::set<std::string> methods;
  std::ifstream idl(DL_SOURCE_DIR "/rpc/idl/paravane.thrift");
  bool in_service = false;
  for (std::string line; std::getline(idl, line);) {
    if (line.starts_with("service ")) in_service = true;
    const size_t bracket = line.find('(');
    if (!in_service || bracket == std::string::npos || !line.ends_with("error)")) continue;
    const size_t blank = line.rfind(' ', bracket);
    methods.insert(line.substr(blank + 1, bracket - blank - 1));
  }
  return methods;
}

// Returns the exact bytes that the server answers when it denies a call.
std::string Denial(const std::string& method) {
  return I32(0x80010002u) + Text(method) + I32(0) + Field(12, 1) + Field(11, 1) +
         Text("unauthenticated") + Field(11, 2) + Text("denied") + Field(11, 3) + Text("") +
         Field(11, 4) + Text("") + std::string(2, '\0');
}

class AccessTest : public testing::Test {
 protected:
  // Sends Hello and a call. The default arguments are empty. Returns everything that the server
  // answers.
  std::string Answer(const std::string& credential, const std::string& method,
                     const std::string& arguments = std::string(1, '\0')) {
    RawPeer peer(server_->port());
    EXPECT_TRUE(peer.Send(HelloCall(kProtocolVersion, credential)));
    // Sending fails if the server has refused the peer and closed the connection.
    (void)peer.Send(CallHeader(method) + arguments);
    peer.EndSending();
    std::string answer;
    EXPECT_TRUE(peer.ClosedByPeer(&answer)) << method;
    return answer;
  }
  std::string OfFetchBlock(uint32_t session) {
    return Field(12, 1) + Field(10, 1) + I32(0) + I32(session) + std::string(2, '\0');
  }

  FakeMaster master_;
  std::unique_ptr<Server> server_ = StartServer(&master_);
};

TEST_F(AccessTest, TableHasEachMethodOfIdl) {
  std::set<std::string> methods = MethodsOfTheIdl(), rows;
  for (const Access& access : kAccess) EXPECT_TRUE(rows.emplace(access.method).second);
  EXPECT_EQ(methods.erase("Hello"), 1u);
  EXPECT_EQ(methods, rows);
  for (const Access& access : kAccess) EXPECT_TRUE(access.Allows(Role::kAdmin)) << access.method;
}

TEST_F(AccessTest, InvalidTokenAllowsNothing) {
  const Clock& clock = Clock::Real();
  const auto short_lived =
      TestTokens().Create({.owner = "o", .role = Role::kAdmin, .lifetime = Duration(1)});
  const auto revoked = TestTokens().Create({.owner = "o", .role = Role::kAdmin});
  ASSERT_TRUE(short_lived.ok() && revoked.ok());
  ASSERT_TRUE(TestTokens().Revoke(revoked->id).ok());
  for (const Instant end = clock.Now() + kLong;
       TestTokens().IsValid(short_lived->id) && clock.Now() < end;) {
  }
  const auto elsewhere = security::TokenStore::Open("");
  const auto others = (*elsewhere)->Create({.owner = "o", .role = Role::kAdmin});
  ASSERT_TRUE(others.ok());
  const security::Token& good = TokenOf(Role::kAdmin);
  const std::pair<const char*, std::string> bad[] = {
      {"none", ""},
      {"no token", "open sesame"},
      {"another secret", absl::StrCat(good.id, ".", others->secret)},
      {"another id", absl::StrCat(others->id, ".", good.secret)},
      {"expired", short_lived->credential()},
      {"revoked", revoked->credential()},
      {"of another cluster", others->credential()},
      {"a whole token in place of what is shown", security::ToString(good)}};
  for (const std::string& method : MethodsOfTheIdl()) {
    for (const auto& [name, credential] : bad)
      EXPECT_EQ(Answer(credential, method), Denial("Hello")) << method << ", " << name;
  }
  EXPECT_EQ(master_.method(), "");
}

TEST_F(AccessTest, CallsBeforeHelloAreDenied) {
  for (const std::string& method : MethodsOfTheIdl()) {
    if (method == "Hello") continue;
    RawPeer peer(server_->port());
    ASSERT_TRUE(peer.Send(CallHeader(method) + std::string(1, '\0')));
    std::string answer;
    EXPECT_TRUE(peer.ClosedByPeer(&answer));
    EXPECT_EQ(answer, "") << method;
  }
  EXPECT_EQ(master_.method(), "");
}

TEST_F(AccessTest, RoleAllowsOnlyItsMethods) {
  int denied = 0, allowed = 0;
  for (const Role role : kRoles) {
    for (const Access& access : kAccess) {
      const std::string method(access.method);
      const std::string answer = Answer(TokenOf(role).credential(), method);
      if (access.Allows(role)) {
        ++allowed;
        // The empty arguments lack required values. The server then reports an invalid argument or
        // an unknown session instead of calling the master.
        EXPECT_TRUE(master_.method() == method ||
                    answer.find("invalid_argument") != std::string::npos ||
                    answer.find("does not know this session") != std::string::npos)
            << RoleName(role) << " " << method;
        EXPECT_EQ(answer.find("denied"), std::string::npos) << RoleName(role) << " " << method;
      } else {
        ++denied;
        EXPECT_TRUE(answer.ends_with(Denial(method))) << RoleName(role) << " " << method;
        EXPECT_EQ(master_.method(), "") << RoleName(role) << " " << method;
      }
      master_.Forget();
    }
  }
  EXPECT_GT(denied, 30);
  EXPECT_GT(allowed, 30);
}

// Every role may fetch a block, because a block is named by its content. Executors fetch blocks
// also outside of their sessions. A call that names a session must come from its holder.
TEST_F(AccessTest, BlocksAreSharedAndSessionsAreNot) {
  const std::string outside = OfFetchBlock(0), inside = OfFetchBlock(77);
  for (const Role role : {Role::kRead, Role::kSubmit, Role::kExecute}) {
    (void)Answer(TokenOf(role).credential(), "FetchBlock", outside);
    EXPECT_EQ(master_.method(), "FetchBlock");
    master_.Forget();
    EXPECT_NE(Answer(TokenOf(role).credential(), "FetchBlock", inside).find("aborted"),
              std::string::npos);
    EXPECT_EQ(master_.method(), "");
  }
}

// Session numbers are written to logs. Another process must not use a session, even with the same
// token.
TEST_F(AccessTest, SessionBelongsToItsProcess) {
  const ClientOptions executor{.credentials = test::Admitted(Role::kExecute)};
  const auto holder = ConnectTo(server_->port(), executor);
  const auto other = ConnectTo(server_->port(), executor);
  const auto session = holder->Register({}, kLong);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_TRUE(holder->Heartbeat({.session = session->session}, kLong).ok());
  EXPECT_TRUE(holder->LeaseUnits({.session = session->session}, kLong).ok());
  master_.Forget();
  const HeartbeatRequest heartbeat{.session = session->session};
  EXPECT_TRUE(absl::IsAborted(other->Heartbeat(heartbeat, kLong).status()));
  EXPECT_TRUE(absl::IsAborted(other->LeaseUnits({.session = session->session}, kLong).status()));
  EXPECT_TRUE(absl::IsAborted(other->Goodbye({.session = session->session}, kLong)));
  EXPECT_EQ(master_.method(), "");
  EXPECT_TRUE(holder->Goodbye({.session = session->session}, kLong).ok());
  EXPECT_TRUE(absl::IsAborted(holder->Heartbeat(heartbeat, kLong).status()));
}

// An admin reserves a name that is already in use by an executor without a token for this name.
TEST_F(AccessTest, SessionWhoseNameIsReservedIsRefused) {
  const auto client = ConnectTo(server_->port(), {.credentials = test::Admitted(Role::kExecute)});
  const auto session = client->Register({.executor = "umpire"}, kLong);
  ASSERT_TRUE(session.ok()) << session.status();
  const HeartbeatRequest heartbeat{.session = session->session};
  ASSERT_TRUE(client->Heartbeat(heartbeat, kLong).ok());
  const auto reserved =
      TestTokens().Create({.owner = "ops", .role = Role::kExecute, .executor = "umpire"});
  ASSERT_TRUE(reserved.ok());
  master_.Forget();
  for (const Status& refused : {client->Heartbeat(heartbeat, kLong).status(),
                                client->LeaseUnits({.session = session->session}, kLong).status(),
                                client->Contribute({.session = session->session}, kLong).status(),
                                client->FetchBlock({.session = session->session}, kLong).status(),
                                client->Goodbye({.session = session->session}, kLong),
                                client->Register({.executor = "umpire"}, kLong).status()}) {
    EXPECT_TRUE(absl::IsUnauthenticated(refused)) << refused;
    EXPECT_NE(refused.message().find("an executor needs the token for it"), std::string::npos);
  }
  EXPECT_EQ(master_.method(), "");
  ASSERT_TRUE(TestTokens().Revoke(reserved->id).ok());
  EXPECT_TRUE(client->Heartbeat(heartbeat, kLong).ok()) << "the name is free again";
}

// Session 0 means no session. Methods of executors must refuse it.
TEST_F(AccessTest, ExecutorMethodsRequireSession) {
  const auto client = ConnectTo(server_->port(), {.credentials = test::Admitted(Role::kExecute)});
  const auto expect_refused = [&](const Status& status) {
    EXPECT_TRUE(absl::IsAborted(status)) << status;
    EXPECT_EQ(master_.method(), "");
  };
  expect_refused(client->Heartbeat({}, kLong).status());
  expect_refused(client->Goodbye({}, kLong));
  expect_refused(client->LeaseUnits({}, kLong).status());
  expect_refused(client->Announce({}, kLong).status());
  expect_refused(client->ReportFailure({}, kLong));
  expect_refused(client->FetchJob({}, kLong).status());
  expect_refused(client->FetchPart({}, kLong).status());
  expect_refused(client->Contribute({}, kLong).status());
  expect_refused(client->OfferPart({}, kLong));
}

TEST_F(AccessTest, RevocationClosesConnections) {
  const auto token = TestTokens().Create({.owner = "o", .role = Role::kRead});
  ASSERT_TRUE(token.ok());
  Gate entered, gate;
  master_.on_query = [&](const QueryRequest& request) {
    if (request.job == "held") {
      entered.Open();
      gate.Wait();
    }
    return std::string("{}");
  };
  const auto client = ConnectTo(server_->port(), {.credentials = {.token = token->credential()}});
  Thread holder("holder", [&] {
    EXPECT_TRUE(absl::IsUnavailable(client->Query({.job = "held"}, kLong).status()));
  });
  entered.Wait();
  ASSERT_TRUE(TestTokens().Revoke(token->id).ok());
  holder.Join();  // ends although the master has not answered the call
  gate.Open();
  const Status status = client->Query({}, kLong).status();
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_NE(ErrorRemedy(status).find("dl-submit cluster token"), std::string::npos) << status;
}

// A connection may outlive the revocation of its token for a moment. The error must name the token
// and not the role as the cause.
TEST_F(AccessTest, CallAfterRevocationIsDenied) {
  const auto token = TestTokens().Create({.owner = "o", .role = Role::kRead});
  ASSERT_TRUE(token.ok());
  const auto client = ConnectTo(server_->port(), {.credentials = {.token = token->credential()}});
  ASSERT_TRUE(client->Query({}, kLong).ok());
  const Status beyond = client->Act(Sample<JobActionRequest>(), kLong).status();
  EXPECT_NE(beyond.message().find("the role read does not allow"), std::string::npos) << beyond;
  TestTokens().SetRevocationCallback(nullptr);  // keeps the connection open
  ASSERT_TRUE(TestTokens().Revoke(token->id).ok());
  const Status status = client->Query({}, kLong).status();
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_NE(status.message().find("the master rejects"), std::string::npos) << status;
}

TEST_F(AccessTest, ExpiryClosesConnections) {
  const auto token = TestTokens().Create(
      {.owner = "o", .role = Role::kRead, .lifetime = std::chrono::milliseconds(300)});
  ASSERT_TRUE(token.ok());
  RawPeer peer(server_->port());
  ASSERT_TRUE(peer.Send(HelloCall(kProtocolVersion, token->credential())));
  EXPECT_TRUE(peer.ClosedByPeer()) << "before the server's own deadlines";
}

TEST(AuditTest, AdminsHaveAFileOfTheirOwn) {
  const test::TempFolder folder;
  auto audit = security::AuditLog::Open(folder / "audit");
  ASSERT_TRUE(audit.ok()) << audit.status();
  FakeMaster master;
  auto server = Server::Listen({});
  ASSERT_TRUE(server.ok());
  (*server)->Serve(
      {.clients = &master, .admins = &master, .tokens = &TestTokens(), .audit = audit->get()});
  const auto reader = ConnectTo((*server)->port(), {.credentials = test::Admitted(Role::kRead)});
  EXPECT_FALSE(reader->CreateToken(Sample<CreateTokenRequest>(), kLong).ok());
  EXPECT_FALSE(std::filesystem::file_size(folder / "admin.log"));
  const auto admin = ConnectTo((*server)->port());
  EXPECT_TRUE(admin->CreateToken(Sample<CreateTokenRequest>(), kLong).ok());
  EXPECT_TRUE(admin->RevokeToken(Sample<RevokeTokenRequest>(), kLong).ok());
  EXPECT_TRUE(admin->Act(Sample<JobActionRequest>(), kLong).ok());
  const std::string lines = test::Content(folder / "admin.log");
  for (const char* what : {"CreateToken", "RevokeToken", "pin"})
    EXPECT_NE(lines.find(absl::StrCat("\"what\":\"", what, "\"")), std::string::npos) << lines;
  EXPECT_NE(test::Content(folder / "audit").find("denied"), std::string::npos);
}

TEST(AuditTest, ActionsAreLoggedWithCaller) {
  const test::TempFolder folder;
  auto audit = security::AuditLog::Open(folder / "audit");
  ASSERT_TRUE(audit.ok()) << audit.status();
  FakeMaster master;
  auto server = Server::Listen({});
  ASSERT_TRUE(server.ok());
  (*server)->Serve({.clients = &master, .tokens = &TestTokens(), .audit = audit->get()});
  {
    auto submitter = ConnectTo((*server)->port(), {.credentials = test::Admitted(Role::kSubmit)});
    EXPECT_TRUE(submitter->Submit(Sample<SubmitRequest>(), kLong).ok());
    EXPECT_TRUE(submitter->Query({}, kLong).ok());
    // A model is downloaded in pieces. The audit log records only the first call.
    for (const int64_t offset : {0, 4096, 8192}) {
      EXPECT_TRUE(
          submitter->FetchCheckpoint({.sha256 = "j@3/model", .offset = offset, .length = 1}, kLong)
              .ok());
    }
    master.error = Denied({.message = "of somebody else"});
    EXPECT_FALSE(submitter->Act(Sample<JobActionRequest>(), kLong).ok());
  }
  const std::string text = test::Content(folder / "audit");
  std::vector<Json> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(*ParseJson(text.substr(begin, end - begin), "audit"));
    begin = end + 1;
  }
  ASSERT_EQ(lines.size(), 3u) << text;
  for (const Json& line : lines) {
    EXPECT_EQ(line["owner"], "tester");
    EXPECT_EQ(line["role"], "submit");
    EXPECT_EQ(line["from"], "127.0.0.1");
  }
  EXPECT_EQ(lines[0]["what"], "Submit");
  EXPECT_EQ(lines[0]["subject"], Sample<SubmitReply>().job);
  EXPECT_EQ(lines[0]["result"], "ok");
  EXPECT_EQ(lines[1]["what"], "FetchCheckpoint");
  EXPECT_EQ(lines[1]["subject"], "j@3/model");
  EXPECT_EQ(lines[2]["what"], "pin");
  EXPECT_EQ(lines[2]["result"], "denied");
  EXPECT_EQ(text.find(TokenOf(Role::kSubmit).secret), std::string::npos);
}

// A client waits for a master that is not yet started. The master writes its token file later.
TEST(CredentialsTest, MissingTokenFileIsReadAgain) {
  FakeMaster master;
  auto server = StartServer(&master);
  std::atomic<bool> there = false;
  std::atomic<int> looked = 0;
  const auto client = Client::Connect({.endpoint = {.host = "127.0.0.1", .port = server->port()},
                                       .find_credentials = [&]() -> StatusOr<Credentials> {
                                         ++looked;
                                         return there ? test::Admitted() : Credentials{};
                                       }});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(looked, 0) << "before anything is wanted of the master";
  const Status denied = (*client)->Query({}, kLong).status();
  EXPECT_TRUE(absl::IsUnauthenticated(denied)) << denied;
  EXPECT_NE(denied.message().find("requires a token"), std::string::npos) << denied;
  there = true;
  EXPECT_TRUE((*client)->Query({}, kLong).ok());
}

// The token file appears after the client looked for it and before the client sends Hello.
TEST(CredentialsTest, NewTokenFileIsUsedAtOnce) {
  FakeMaster master;
  auto server = StartServer(&master);
  std::atomic<int> looked = 0;
  const auto client = Client::Connect({.endpoint = {.host = "127.0.0.1", .port = server->port()},
                                       .find_credentials = [&]() -> StatusOr<Credentials> {
                                         return looked++ == 0 ? Credentials{} : test::Admitted();
                                       }});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE((*client)->Query({}, kLong).ok());
  const auto failing = Client::Connect({.endpoint = {.host = "127.0.0.1", .port = server->port()},
                                        .find_credentials = []() -> StatusOr<Credentials> {
                                          return Denied({.message = "somebody else's"});
                                        }});
  ASSERT_TRUE(failing.ok()) << failing.status();
  EXPECT_TRUE(absl::IsUnauthenticated((*failing)->Query({}, kLong).status()));
}

}  // namespace
}  // namespace dl::rpc
