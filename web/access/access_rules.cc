#include "web/access/access_rules.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "security/token.h"
#include "web/access/request_origin.h"
#include "web/http/text_split.h"

namespace dl::web {

std::optional<security::Identity> AccessRules::CallerOfToken(std::string_view token) const {
  if (options_.tokens == nullptr) return std::nullopt;
  const StatusOr<security::Token> parsed = security::ParseToken(token);
  return options_.tokens->Authenticate(parsed.ok() ? parsed->credential() : std::string(token));
}

std::optional<security::Identity> AccessRules::FindCaller(const HttpRequest& request) const {
  const std::string_view authorization = request.Header("authorization");
  if (!authorization.empty()) {
    const auto [scheme, token] = CutAt(authorization, ' ');
    if (absl::AsciiStrToLower(std::string(scheme)) != "bearer") return std::nullopt;
    return CallerOfToken(WithoutBlanks(token));
  }
  const std::optional<std::string> cookie = request.Cookie(cookie_name());
  if (!cookie) return std::nullopt;
  std::optional<security::Identity> caller = options_.sessions->Find(*cookie);
  // A session ends with the token that opened it.
  if (caller && !caller->token.empty() &&
      (options_.tokens == nullptr || !options_.tokens->IsValid(caller->token))) {
    return std::nullopt;
  }
  return caller;
}

Status AccessRules::CheckSource(const HttpRequest& request, bool changes) const {
  if (!IsOwnHost(request.Header("host"), options_.host_names)) {
    return InvalidArgument({.message = "the request is for another server",
                            .where = std::string(request.Header("host")),
                            .remedy = "Use the address of this machine"});
  }
  if (!changes) return absl::OkStatus();
  const bool has_cookie =
      request.Header("authorization").empty() && request.Cookie(cookie_name()).has_value();
  return CheckOrigin(request, has_cookie);
}

std::string AccessRules::cookie_name() const { return absl::StrCat("paravane_", options_.port); }

std::string AccessRules::SetCookie(const std::string& value, bool encrypted) const {
  const int64_t seconds =
      value.empty()
          ? 0
          : std::chrono::duration_cast<std::chrono::seconds>(options_.sessions->session_lifetime())
                .count();
  return absl::StrCat(cookie_name(), "=", value,
                      "; Path=/; HttpOnly; SameSite=Strict; Max-Age=", seconds,
                      encrypted ? "; Secure" : "");
}

}  // namespace dl::web
