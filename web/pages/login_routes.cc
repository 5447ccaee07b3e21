#include "web/pages/login_routes.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "web/pages/page_routes.h"

namespace dl::web {
namespace {

constexpr int64_t kMaxLoginForm = 4096;  // bytes

HttpResponse Redirect(std::string where, std::string cookie) {
  return {.status = 303,
          .headers = {{"Location", std::move(where)}, {"Set-Cookie", std::move(cookie)}}};
}

StatusOr<HttpResponse> LoginPage(const PageSettings& settings, const Call& call,
                                 const std::string& error, const std::string& next) {
  Json context = {{"error", error}, {"next", next}};
  DL_ASSIGN_OR_RETURN(HttpResponse page,
                      MakePage({.name = "login", .title = "Sign in"}, settings, call, context));
  if (!error.empty()) page.status = 401;
  return page;
}

Route ShowLogin(const AccessRules& access, BrowserSessions& sessions, const PageSettings& settings,
                RecordLogin record) {
  return {.method = "GET",
          .pattern = "/login",
          .about = "Show the form for a token, or log in with a code",
          .parameters = {{.name = "code", .about = "a code that is valid once"},
                         {.name = "next", .about = "path of the page to show afterwards"}},
          .answers = AnswerKind::kPage,
          .answer = [&, record = std::move(record)](const Call& call) -> StatusOr<HttpResponse> {
            const std::string next = call.Text("next", "/");
            const std::string code = call.Text("code");
            if (code.empty()) return LoginPage(settings, call, "", next);
            StatusOr<std::string> cookie = sessions.Redeem(code);
            if (!cookie.ok()) {
              // A browser that is logged in already may open the address again.
              if (access.FindCaller(call.request))
                return HttpResponse{.status = 303, .headers = {{"Location", "/"}}};
              record(call, {}, "denied");
              return LoginPage(settings, call, std::string(cookie.status().message()), next);
            }
            record(call, sessions.Find(*cookie).value_or(security::Identity{}), "ok");
            return Redirect(IsLocalPath(next) ? next : "/",
                            access.SetCookie(*cookie, call.request.encrypted));
          }};
}

Route SubmitLogin(const AccessRules& access, BrowserSessions& sessions,
                  const PageSettings& settings, RecordLogin record) {
  return {.method = "POST",
          .pattern = "/login",
          .about = "Log a browser in with a token",
          .answers = AnswerKind::kPage,
          .body_bytes = kMaxLoginForm,
          .answer = [&, record = std::move(record)](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(const auto fields, ParseForm(call.request.body));
            std::string token;
            std::string next = "/";
            for (const auto& [name, value] : fields) {
              if (name == "token") token = value;
              if (name == "next" && IsLocalPath(value)) next = value;
            }
            const auto caller = access.CallerOfToken(token);
            if (!caller) {
              record(call, {}, "denied");
              return LoginPage(settings, call, "This token is wrong, was revoked or has expired.",
                               next);
            }
            DL_ASSIGN_OR_RETURN(const std::string cookie, sessions.Open(*caller));
            record(call, *caller, "ok");
            return Redirect(next, access.SetCookie(cookie, call.request.encrypted));
          }};
}

Route Logout(const AccessRules& access, BrowserSessions& sessions) {
  return {.method = "POST",
          .pattern = "/logout",
          .about = "Log a browser out",
          .answers = AnswerKind::kPage,
          .body_bytes = kMaxLoginForm,
          .answer = [&](const Call& call) -> StatusOr<HttpResponse> {
            if (const auto cookie = call.request.Cookie(access.cookie_name()))
              sessions.Close(*cookie);
            return Redirect("/login", access.SetCookie("", call.request.encrypted));
          }};
}

}  // namespace

std::vector<Route> LoginRoutes(const AccessRules& access, BrowserSessions& sessions,
                               const PageSettings& settings, const RecordLogin& record) {
  return {ShowLogin(access, sessions, settings, record),
          SubmitLogin(access, sessions, settings, record), Logout(access, sessions)};
}

}  // namespace dl::web
