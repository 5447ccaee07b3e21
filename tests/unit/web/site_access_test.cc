// The rights of callers, and the checks of requests.

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/access.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr Role kRoles[] = {Role::kRead, Role::kSubmit, Role::kExecute, Role::kAdmin};

// Replaces the variables of a pattern.
std::string PathOf(const Route& route) {
  std::string path = route.pattern;
  for (const auto& [variable, value] : {std::pair{"{job}", "mlp-1"},
                                        {"{round}", "10"},
                                        {"{file}", "pages.js"},
                                        {"{index}", "0"},
                                        {"{import}", "i1"},
                                        {"{sha256}", "00"}}) {
    if (const size_t at = path.find(variable); at != std::string::npos)
      path.replace(at, std::string_view(variable).size(), value);
  }
  return path;
}

TEST_F(SiteTest, EachRouteAllowsOnlyTheRolesOfItsMethod) {
  std::set<std::string> open;
  for (const Route& route : site_->routes().routes()) {
    const std::string name = route.method + " " + route.pattern;
    const HttpResponse stranger = Send(Make(route.method, PathOf(route)));
    if (route.rpc_method.empty()) {
      open.insert(name);
      continue;
    }
    ASSERT_NE(rpc::FindAccess(route.rpc_method), nullptr) << name;
    const bool to_login =
        stranger.status == 303 && HeaderOf(stranger, "Location").starts_with("/login?next=");
    EXPECT_TRUE(stranger.status == 401 || to_login) << name << ": " << stranger.status;
    for (const Role role : kRoles) {
      const auto admitted = site_->CheckHead(MakeAs(role, route.method, PathOf(route)));
      const bool may = rpc::FindAccess(route.rpc_method)->Allows(role);
      EXPECT_EQ(std::holds_alternative<BodyLimit>(admitted), may)
          << name << " as " << security::RoleName(role);
      if (!may) {
        EXPECT_EQ(std::get<HttpResponse>(admitted).status, 403) << name;
      }
    }
  }
  EXPECT_EQ(open, (std::set<std::string>{"GET /healthz", "GET /readyz", "GET /login", "POST /login",
                                         "POST /logout", "GET /assets/{file}",
                                         "GET /api/v1/openapi.json"}));
}

TEST_F(SiteTest, ChangesNeedARoleThatMayAct) {
  for (const Route& route : site_->routes().routes()) {
    if (!route.changes() || route.rpc_method.empty()) continue;
    const auto changing = {"Act", "Submit", "PutBlocks", "MissingBlocks"};
    EXPECT_TRUE(std::ranges::count(changing, route.rpc_method) == 1) << route.pattern;
  }
}

TEST_F(SiteTest, WrongRevokedAndOtherCredentialsAreDenied) {
  HttpRequest request = Make("GET", "/api/v1/jobs");
  const security::Token token = TokenOf(Role::kRead);
  for (const std::string& value :
       {std::string("Bearer "), std::string("Bearer x.y"), "Basic " + token.credential(),
        "Bearer " + token.id + ".", token.credential()}) {
    request.headers["authorization"] = value;
    EXPECT_EQ(Send(request).status, 401) << value;
  }
  request.headers["authorization"] = "Bearer " + security::ToString(token);
  EXPECT_EQ(Send(request).status, 200);
  DL_ASSERT_OK(tokens_->Revoke(token.id));
  EXPECT_EQ(Send(request).status, 401);
}

TEST_F(SiteTest, SessionEndsWithItsTokenAndAtLogout) {
  HttpRequest request = Make("GET", "/api/v1/jobs");
  request.headers["cookie"] = "other=1; " + Login(Role::kRead);
  EXPECT_EQ(Send(request).status, 200);
  HttpRequest logout = Make("POST", "/logout");
  logout.headers["cookie"] = request.headers["cookie"];
  logout.headers["origin"] = "http://127.0.0.1:7080";
  EXPECT_EQ(Send(logout).status, 303);
  EXPECT_EQ(Send(request).status, 401);

  request.headers["cookie"] = Login(Role::kRead);
  EXPECT_EQ(Send(request).status, 200);
  for (const security::TokenRecord& record : tokens_->List())
    DL_ASSERT_OK(tokens_->Revoke(record.id));
  EXPECT_EQ(Send(request).status, 401);
}

TEST_F(SiteTest, CookieIsNotReadableByScriptsAndNotSentByOtherSites) {
  HttpRequest request = Make("POST", "/login");
  request.headers["origin"] = "http://127.0.0.1:7080";
  request.body = "token=" + EscapeForTarget(security::ToString(TokenOf(Role::kRead)));
  const std::string plain = HeaderOf(Send(request), "Set-Cookie");
  EXPECT_THAT(plain, StartsWith("paravane_7080="));
  EXPECT_THAT(plain, HasSubstr("; HttpOnly; SameSite=Strict"));
  EXPECT_THAT(plain, Not(HasSubstr("Secure")));
  request.encrypted = true;
  request.headers["origin"] = "https://127.0.0.1:7080";
  EXPECT_THAT(HeaderOf(Send(request), "Set-Cookie"), HasSubstr("; Secure"));
}

TEST_F(SiteTest, LoginCodeWorksOnce) {
  const auto code = site_->sessions().MakeCode({.owner = "ann", .role = Role::kAdmin});
  DL_ASSERT_OK(code);
  const HttpResponse first = Send(Make("GET", "/login?code=" + *code));
  EXPECT_EQ(first.status, 303);
  EXPECT_THAT(HeaderOf(first, "Set-Cookie"), StartsWith("paravane_7080="));
  const HttpResponse second = Send(Make("GET", "/login?code=" + *code));
  EXPECT_EQ(second.status, 401);
  EXPECT_EQ(HeaderOf(second, "Set-Cookie"), "");
}

TEST_F(SiteTest, LoginNeverLeadsToAnotherSite) {
  for (const char* next : {"https://evil.example", "//evil.example", "/\\evil.example", "jobs"}) {
    HttpRequest request = Make("POST", "/login");
    request.headers["origin"] = "http://127.0.0.1:7080";
    request.body =
        absl::StrCat("next=", EscapeForTarget(next),
                     "&token=", EscapeForTarget(security::ToString(TokenOf(Role::kRead))));
    EXPECT_EQ(HeaderOf(Send(request), "Location"), "/") << next;
  }
}

TEST_F(SiteTest, RequestsForOtherHostsAreRefused) {
  for (const char* host : {"evil.example", "evil.example:7080", "127.0.0.1.evil.example",
                           "localhost.evil.example", "", "[::1", "127.0.0.1:80x"}) {
    HttpRequest request = MakeAs(Role::kRead, "GET", "/api/v1/jobs");
    request.headers["host"] = host;
    EXPECT_EQ(Send(request).status, 421) << host;
  }
  for (const char* host : {"localhost", "LOCALHOST:7080", "10.1.2.3:7080", "[::1]:7080",
                           "node3.cluster", "NODE3.cluster:7080"}) {
    HttpRequest request = MakeAs(Role::kRead, "GET", "/api/v1/jobs");
    request.headers["host"] = host;
    EXPECT_EQ(Send(request).status, 200) << host;
  }
}

TEST_F(SiteTest, ChangeFromAnotherSiteIsRefused) {
  const std::string cookie = Login(Role::kSubmit);
  for (const char* origin :
       {"http://evil.example", "null", "http://127.0.0.1:7081", "", "https://127.0.0.1:7080"}) {
    HttpRequest request = Make("POST", "/api/v1/jobs/mlp-1/cancel");
    request.headers["cookie"] = cookie;
    if (*origin != 0) request.headers["origin"] = origin;
    EXPECT_EQ(Send(request).status, 403) << origin;
  }
  EXPECT_TRUE(clients_.actions().empty());
  HttpRequest request = Make("POST", "/api/v1/jobs/mlp-1/cancel");
  request.headers["cookie"] = cookie;
  request.headers["origin"] = "http://127.0.0.1:7080";
  EXPECT_EQ(Send(request).status, 200);
  EXPECT_EQ(clients_.actions().size(), 1u);
}

// Chromium sends the origin of the page with its forms, and "null" for a page without an origin or
// with the policy "no-referrer".
TEST_F(SiteTest, FormsOfPagesAreAcceptedWithTheOriginThatBrowsersSend) {
  for (const char* path : {"/login", "/", "/assets/pages.js", "/api/v1/jobs"})
    EXPECT_EQ(HeaderOf(Send(MakeAs(Role::kRead, "GET", path)), "Referrer-Policy"), "same-origin");
  const std::string token = "token=" + EscapeForTarget(security::ToString(TokenOf(Role::kRead)));
  for (const char* host : {"127.0.0.1:7080", "localhost:7080", "[::1]:7080", "node3.cluster"}) {
    HttpRequest request = Make("POST", "/login");
    request.headers["host"] = host;
    request.headers["origin"] = absl::StrCat("http://", host);
    request.body = token;
    EXPECT_EQ(Send(request).status, 303) << host;
    request.headers["origin"] = "null";
    EXPECT_EQ(Send(request).status, 403) << host;
  }
}

TEST_F(SiteTest, RefusedFormsAreAnsweredWithAPage) {
  for (const char* target : {"/login", "/logout", "/jobs/mlp-1/actions", "/nothing"}) {
    for (const auto& [header, value] : {std::pair{"origin", "null"}, {"host", "evil.example"}}) {
      HttpRequest request = Make("POST", target);
      request.headers["cookie"] = Login(Role::kSubmit);
      request.headers[header] = value;
      const HttpResponse refused = Send(request);
      EXPECT_EQ(refused.content_type, "text/html; charset=utf-8") << target << " " << header;
      EXPECT_THAT(refused.body, Not(HasSubstr("Sign out"))) << "it names no caller";
    }
  }
  HttpRequest request = Make("POST", "/api/v1/jobs/mlp-1/cancel");
  request.headers["origin"] = "null";
  EXPECT_EQ(Send(request).content_type, "application/problem+json");
}

TEST_F(SiteTest, ActionsCarryTheCallerAndTheRound) {
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "POST", "/api/v1/jobs/mlp-1/checkpoints/10/pin")).status,
            200);
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "DELETE", "/api/v1/jobs/mlp-1")).status, 200);
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "POST", "/api/v1/jobs/mlp-1/resume?isa=avx2")).status, 200);
  const auto actions = clients_.actions();
  ASSERT_EQ(actions.size(), 3u);
  EXPECT_EQ(actions[0].action, rpc::JobAction::kPin);
  EXPECT_EQ(actions[0].round, 10);
  EXPECT_EQ(actions[0].by.owner, "ann");
  EXPECT_EQ(actions[0].by.role, Role::kSubmit);
  EXPECT_EQ(actions[1].action, rpc::JobAction::kDelete);
  EXPECT_EQ(actions[2].isa, "avx2");
  EXPECT_TRUE(actions[2].rebind);
  EXPECT_NE(actions[0].request_id, actions[1].request_id);
}

TEST_F(SiteTest, BestAndLastNameCheckpointsToPin) {
  clients_.Set(rpc::QueryKind::kCheckpoints,
               R"([{"round":10,"best":true,"test":{"loss":0.5}},{"round":20},)"
               R"({"round":30,"set_aside":1}])");
  for (const char* end : {"best/pin", "last/unpin"}) {
    EXPECT_EQ(
        Send(MakeAs(Role::kSubmit, "POST", absl::StrCat("/api/v1/jobs/mlp-1/checkpoints/", end)))
            .status,
        200)
        << end;
  }
  const auto actions = clients_.actions();
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0].action, rpc::JobAction::kPin);
  EXPECT_EQ(actions[0].round, 10);
  EXPECT_EQ(actions[1].action, rpc::JobAction::kUnpin);
  EXPECT_EQ(actions[1].round, 20);
  for (const char* round : {"newest", "-1", "30~0"}) {
    const HttpResponse refused = Send(MakeAs(
        Role::kSubmit, "POST", absl::StrCat("/api/v1/jobs/mlp-1/checkpoints/", round, "/pin")));
    EXPECT_EQ(refused.status, 400) << round;
    EXPECT_THAT(refused.body, HasSubstr("Give a round number, best or last"));
  }
  clients_.Set(rpc::QueryKind::kCheckpoints, R"([{"round":20}])");
  const HttpResponse none =
      Send(MakeAs(Role::kSubmit, "POST", "/api/v1/jobs/mlp-1/checkpoints/best/pin"));
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("there is no checkpoint mlp-1@best"));
}

TEST_F(SiteTest, CheckpointThatWasSetAsideIsNamedByItsRollback) {
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "POST", "/api/v1/jobs/mlp-1/checkpoints/30~2/unpin")).status,
            200);
  HttpRequest form = MakeAs(Role::kSubmit, "POST", "/jobs/mlp-1/actions");
  form.body = "action=pin&round=30~2";
  EXPECT_EQ(Send(form).status, 303);
  const auto actions = clients_.actions();
  ASSERT_EQ(actions.size(), 2u);
  for (const rpc::JobActionRequest& action : actions) {
    EXPECT_EQ(action.round, 30);
    EXPECT_EQ(action.set_aside, 2);
  }
}

TEST_F(SiteTest, DeletionOfPinnedCheckpointsIsAskedFor) {
  for (const char* query : {"", "?pinned=0", "?pinned=1"})
    EXPECT_EQ(
        Send(MakeAs(Role::kSubmit, "DELETE", absl::StrCat("/api/v1/jobs/mlp-1", query))).status,
        200);
  HttpRequest form = MakeAs(Role::kSubmit, "POST", "/jobs/mlp-1/actions");
  for (const char* body : {"action=delete", "action=delete&pinned=1"}) {
    form.body = body;
    EXPECT_EQ(Send(form).status, 303);
  }
  std::vector<int64_t> up_to;
  for (const rpc::JobActionRequest& action : clients_.actions()) up_to.push_back(action.round);
  EXPECT_EQ(up_to, (std::vector<int64_t>{-1, -1, INT64_MAX, -1, INT64_MAX}));
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "DELETE", "/api/v1/jobs/mlp-1?pinned=2")).status, 400);
}

TEST_F(SiteTest, ActionOfAFormReturnsToThePage) {
  HttpRequest request = MakeAs(Role::kSubmit, "POST", "/jobs/mlp-1/actions");
  request.body = "action=pause&page=%2Fjobs%2Fmlp-1%2Fcheckpoints";
  const HttpResponse response = Send(request);
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(HeaderOf(response, "Location"), "/jobs/mlp-1/checkpoints");
  request.body = "action=explode";
  EXPECT_EQ(Send(request).status, 400);
  EXPECT_EQ(clients_.actions().size(), 1u);
  Open({.read_only = true});
  request.body = "action=pause";
  EXPECT_EQ(Send(request).status, 404);
  EXPECT_EQ(clients_.actions().size(), 1u) << "the master is not asked";
}

TEST_F(SiteTest, RefusedActionHasTheMastersReason) {
  clients_.RefuseActions(Denied({.message = "the job has another owner"}));
  HttpResponse response = Send(MakeAs(Role::kSubmit, "POST", "/api/v1/jobs/mlp-1/cancel"));
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_THAT(response.body, HasSubstr("another owner"));
  clients_.RefuseActions(FailedPrecondition({.message = "the job has ended"}));
  EXPECT_EQ(Send(MakeAs(Role::kSubmit, "POST", "/api/v1/jobs/mlp-1/cancel")).status, 409);
}

TEST_F(SiteTest, ReadOnlySiteHasNoActions) {
  Open({.read_only = true});
  EXPECT_EQ(Send(MakeAs(Role::kAdmin, "POST", "/api/v1/jobs/mlp-1/cancel")).status, 404);
  EXPECT_TRUE(clients_.actions().empty());
}

TEST_F(SiteTest, WrongParametersAreErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {"/api/v1/jobs?limt=3", "did you mean \\\"limit\\\""},
      {"/api/v1/jobs?limit=0", "from 1 to 500"},
      {"/api/v1/jobs?limit=501", "from 1 to 500"},
      {"/api/v1/jobs?limit=x", "not \\\"x\\\""},
      {"/api/v1/jobs?limit=3&limit=4", "twice"},
      {"/api/v1/jobs/mlp-1?all=1", "unknown parameter"},
      {"/api/v1/jobs/mlp-1/metrics?points=1", "from 2 to 2000"},
  };
  for (const auto& [target, text] : cases) {
    const HttpResponse response = Send(MakeAs(Role::kRead, "GET", target));
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_THAT(response.body, HasSubstr(text)) << target;
  }
}

TEST_F(SiteTest, UnknownAddressesAndMethodsAreErrors) {
  const HttpResponse unknown = Send(MakeAs(Role::kRead, "GET", "/api/v1/nothing"));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.content_type, "application/problem+json");
  const HttpResponse method = Send(MakeAs(Role::kRead, "DELETE", "/api/v1/jobs"));
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(HeaderOf(method, "Allow"), "GET, POST");
  EXPECT_EQ(Send(MakeAs(Role::kRead, "GET", "/nothing")).status, 404);
  // An error has the form of the other answers of the address.
  for (const char* target : {"/healthz", "/metrics"}) {
    const HttpResponse post = Send(MakeAs(Role::kAdmin, "POST", target));
    EXPECT_EQ(post.status, 405) << target;
    EXPECT_EQ(post.content_type, "application/problem+json") << target;
    EXPECT_EQ(HeaderOf(post, "Allow"), "GET") << target;
  }
  EXPECT_THAT(Send(MakeAs(Role::kAdmin, "DELETE", "/jobs/mlp-1")).content_type,
              HasSubstr("text/html"));
}

TEST_F(SiteTest, ActionsHaveNoBodyBesidesAnEmptyObject) {
  const auto post = [&](const char* target, const char* body) {
    HttpRequest request = MakeAs(Role::kAdmin, "POST", target);
    request.body = body;
    return Send(request);
  };
  for (const char* body : {"", "{}", " { }\n", "\n"})
    EXPECT_EQ(post("/api/v1/jobs/mlp-1/cancel", body).status, 200) << body;
  for (const char* body : {"[]", "x", "null", R"({"isa":"avx2"})"}) {
    const HttpResponse refused = post("/api/v1/jobs/mlp-1/resume", body);
    EXPECT_EQ(refused.status, 400) << body;
    EXPECT_THAT(refused.body, HasSubstr("?isa=VALUE")) << body;
  }
  EXPECT_THAT(post("/api/v1/jobs/mlp-1/cancel", "[]").body, HasSubstr("Leave out the body"));
  EXPECT_EQ(post("/api/v1/jobs/mlp-1/checkpoints/3/pin", "{}").status, 200);
}

TEST_F(SiteTest, UnknownStateIsAnErrorThatNamesTheKnownOnes) {
  for (const char* path : {"/api/v1/jobs", "/"}) {
    const auto with = [&](const char* state) {
      return Send(MakeAs(Role::kRead, "GET", absl::StrCat(path, "?state=", state)));
    };
    EXPECT_EQ(with("foo").status, 400) << path;
    EXPECT_THAT(with("foo").body, HasSubstr("QUEUED, STARTING, RUNNING")) << path;
    EXPECT_THAT(with("runing").body, HasSubstr("RUNNING")) << path;
    for (const char* state : {"running", "RUNNING", "interrupted", ""})
      EXPECT_EQ(with(state).status, 200) << path << " " << state;
  }
}

TEST_F(SiteTest, UnknownJobIsNotFound) {
  const HttpResponse response = Send(MakeAs(Role::kRead, "GET", "/api/v1/jobs/mlp-1/spec"));
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"not_found\""));
}

TEST_F(SiteTest, AllAnswersForbidScriptsOfOthers) {
  for (const char* target : {"/", "/login", "/nothing", "/api/v1/jobs", "/healthz"}) {
    const HttpResponse response = Send(MakeAs(Role::kRead, "GET", target));
    const std::string policy = HeaderOf(response, "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'")) << target;
    EXPECT_THAT(policy, Not(HasSubstr("unsafe"))) << target;
    EXPECT_EQ(HeaderOf(response, "X-Content-Type-Options"), "nosniff") << target;
    EXPECT_EQ(HeaderOf(response, "Cache-Control"), "no-store") << target;
  }
}

}  // namespace
}  // namespace dl::web
