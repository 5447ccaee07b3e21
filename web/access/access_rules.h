// Finds the caller of a request, and checks that the request may be answered.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/status.h"
#include "security/role.h"
#include "security/token_store.h"
#include "web/access/browser_sessions.h"
#include "web/http/http_message.h"

namespace dl::web {

// Thread-safe. The objects must outlive it.
class AccessRules {
 public:
  struct Options {
    const security::TokenStore* tokens = nullptr;  // null: there are no tokens, only login codes
    BrowserSessions* sessions = nullptr;
    std::set<std::string, std::less<>> host_names;  // see IsOwnHost; in lower case
    int port = 0;                                   // part of the cookie's name
  };
  explicit AccessRules(Options options) : options_(std::move(options)) {}

  // Returns the caller of a request: from the header Authorization if there is one, else from the
  // cookie. Returns nullopt if it is missing or not valid. A cookie is not valid after the end of
  // the token with which its session was opened.
  std::optional<security::Identity> FindCaller(const HttpRequest& request) const;

  // Returns InvalidArgument for a Host that is not this server's. If `changes`, also returns Denied
  // if a page of another site caused the request (CheckOrigin).
  Status CheckSource(const HttpRequest& request, bool changes) const;

  // Returns the caller of a token as people enter it ("dl1...."), or nullopt if it is not valid.
  std::optional<security::Identity> CallerOfToken(std::string_view token) const;

  // Returns the name of the server's cookie. It differs for each port, because browsers send a
  // cookie to all ports of a machine.
  std::string cookie_name() const;
  // Returns the value of the header Set-Cookie. An empty value removes the cookie.
  std::string SetCookie(const std::string& value, bool encrypted) const;

 private:
  const Options options_;
};

}  // namespace dl::web
