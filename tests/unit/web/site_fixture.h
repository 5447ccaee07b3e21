// The site of a scripted master, called without a network.
#pragma once

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "security/token_store.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/web/scripted_clients.h"
#include "tests/unit/web/scripted_imports.h"
#include "tests/unit/web/scripted_models.h"
#include "web/site.h"

namespace dl::web {

inline constexpr int kSitePort = 7080;

// Returns the value of a header, or "".
inline std::string HeaderOf(const HttpResponse& response, std::string_view name) {
  for (const auto& [header, value] : response.headers) {
    if (header == name) return value;
  }
  return "";
}

class SiteTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = security::TokenStore::Open("");
    DL_ASSERT_OK(store);
    tokens_ = *std::move(store);
    Open({});
    clients_.Set(rpc::QueryKind::kJobs, R"([{"job":"mlp-1","state":"RUNNING","owner":"ann"}])");
    clients_.Set(rpc::QueryKind::kJob, R"({"job":"mlp-1","state":"RUNNING","owner":"ann"})");
    clients_.Set(rpc::QueryKind::kCluster, R"({"executors":[],"term":1})");
  }
  void Open(WebServerOptions options) {
    options.host_names = {"Node3.Cluster"};
    site_ = std::make_unique<Site>(options,
                                   WebServices{.clients = &clients_,
                                               .tokens = tokens_.get(),
                                               .models = &models_,
                                               .imports = &imports_},
                                   kSitePort);
  }
  security::Token TokenOf(security::Role role) {
    auto token = tokens_->Create({.owner = "ann", .role = role});
    EXPECT_THAT(token, test::IsOk());
    return *token;
  }

  HttpRequest Make(std::string method, const std::string& target) const {
    HttpRequest request{.method = std::move(method), .path = target.substr(0, target.find('?'))};
    auto parsed = ParseTarget(target);
    EXPECT_THAT(parsed, test::IsOk()) << target;
    request.target = *std::move(parsed);
    request.headers["host"] = "127.0.0.1:7080";
    request.peer = "127.0.0.1";
    return request;
  }
  HttpRequest MakeAs(security::Role role, std::string method, const std::string& target) {
    HttpRequest request = Make(std::move(method), target);
    request.headers["authorization"] = "Bearer " + TokenOf(role).credential();
    return request;
  }
  // Does what the server does with a request.
  HttpResponse Send(const HttpRequest& request) {
    auto admitted = site_->CheckHead(request);
    if (auto* refusal = std::get_if<HttpResponse>(&admitted)) return std::move(*refusal);
    EXPECT_LE(static_cast<int64_t>(request.body.size()), std::get<BodyLimit>(admitted).bytes);
    return site_->Answer(request);
  }
  // Returns the cookie of a new session, as the request header.
  std::string Login(security::Role role) {
    HttpRequest request = Make("POST", "/login");
    request.headers["origin"] = "http://127.0.0.1:7080";
    request.body = "token=" + EscapeForTarget(security::ToString(TokenOf(role)));
    const HttpResponse response = Send(request);
    EXPECT_EQ(response.status, 303);
    const std::string cookie = HeaderOf(response, "Set-Cookie");
    return cookie.substr(0, cookie.find(';'));
  }

  ScriptedClients clients_;
  ScriptedModels models_;
  ScriptedImports imports_;
  std::unique_ptr<security::TokenStore> tokens_;
  std::unique_ptr<Site> site_;
};

}  // namespace dl::web
