// The audit log of requests to the site: logins, and requests that were refused.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/audit_log.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SiteAuditTest : public SiteTest {
 protected:
  void SetUp() override {
    SiteTest::SetUp();
    auto audit = security::AuditLog::Open(folder_ / "audit.log");
    DL_ASSERT_OK(audit);
    audit_ = *std::move(audit);
    site_ = std::make_unique<Site>(
        WebServerOptions{},
        WebServices{.clients = &clients_, .tokens = tokens_.get(), .audit = audit_.get()},
        kSitePort);
  }
  // Ends the log, because a repeated call has no line before, and returns its text.
  std::string LogText() {
    site_.reset();
    audit_.reset();
    const auto text = ReadFile(folder_ / "audit.log", 1 << 20);
    EXPECT_TRUE(text.ok()) << text.status();
    return *text;
  }
  std::vector<std::string> LogLines() { return absl::StrSplit(LogText(), '\n', absl::SkipEmpty()); }
  int LogIn(const std::string& token) {
    HttpRequest request = Make("POST", "/login");
    request.headers["origin"] = "http://127.0.0.1:7080";
    request.body = absl::StrCat("token=", EscapeForTarget(token));
    return Send(request).status;
  }

  const test::TempFolder folder_;
  std::unique_ptr<security::AuditLog> audit_;
};

TEST_F(SiteAuditTest, LoginsWithTokensHaveTheirResultAndOwner) {
  EXPECT_EQ(LogIn("p1.wrong.wrong"), 401);
  const security::Token token = TokenOf(Role::kRead);
  EXPECT_EQ(LogIn(security::ToString(token)), 303);
  EXPECT_THAT(LogLines(),
              ElementsAre(AllOf(HasSubstr(R"("what":"login")"), HasSubstr(R"("result":"denied")"),
                                Not(HasSubstr("ann"))),
                          AllOf(HasSubstr(R"("what":"login")"), HasSubstr(R"("result":"ok")"),
                                HasSubstr(R"("owner":"ann")"), HasSubstr(token.id))));
}

TEST_F(SiteAuditTest, LoginsWithCodesHaveTheirResultAndOwner) {
  const auto code = site_->sessions().MakeCode({.owner = "bob", .role = Role::kAdmin});
  DL_ASSERT_OK(code);
  EXPECT_EQ(Send(Make("GET", "/login?code=" + *code)).status, 303);
  EXPECT_EQ(Send(Make("GET", "/login?code=" + *code)).status, 401);
  EXPECT_EQ(Send(Make("GET", "/login")).status, 200) << "the form alone is no login";
  EXPECT_THAT(LogLines(),
              ElementsAre(AllOf(HasSubstr(R"("what":"login")"), HasSubstr(R"("result":"ok")"),
                                HasSubstr(R"("owner":"bob")")),
                          AllOf(HasSubstr(R"("what":"login")"), HasSubstr(R"("result":"denied")"),
                                Not(HasSubstr("bob")))));
}

TEST_F(SiteAuditTest, RefusedHostsAndOriginsAreRecorded) {
  for (int i = 0; i < 100; ++i) {
    HttpRequest foreign = Make("GET", "/api/v1/jobs");
    foreign.headers["host"] = "rebound.example";
    EXPECT_EQ(Send(foreign).status, 421);
  }
  HttpRequest forged = MakeAs(Role::kSubmit, "POST", "/api/v1/jobs/mlp-1/cancel");
  forged.headers["origin"] = "http://evil.example";
  EXPECT_EQ(Send(forged).status, 403);
  const std::string text = LogText();
  EXPECT_THAT(text, HasSubstr(R"("what":"Host")"));
  EXPECT_THAT(text, HasSubstr(R"("what":"Origin")"));
  EXPECT_THAT(text, HasSubstr("http://evil.example"));
  EXPECT_THAT(text, HasSubstr(R"("owner":"ann")"));
  EXPECT_THAT(text, HasSubstr(R"("repeated":)"));
  EXPECT_LT(std::ranges::count(text, '\n'), 20);
}

}  // namespace
}  // namespace dl::web
