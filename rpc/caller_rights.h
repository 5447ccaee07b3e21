// Decides whether the caller of a connection may make a call, before any service sees the call.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "rpc/access.h"
#include "rpc/messages.h"
#include "rpc/service.h"
#include "security/role.h"
#include "security/token_book.h"

namespace dl::rpc {

// Identify() is called once, before all else. Not thread-safe.
class CallerRights {
 public:
  struct Options {
    // Returns the process that holds a session; nullopt: no such session is open.
    std::function<std::optional<SessionHolder>(uint64_t session)> find_session;
    const security::TokenBook* tokens = nullptr;  // outlives this; null: no token exists
  };
  explicit CallerRights(Options options) : options_(std::move(options)) {}

  // `instance` names the caller's process, as it said in its greeting.
  void Identify(security::Identity caller, const std::string& instance);
  const security::Identity& caller() const { return caller_; }

  // Whether the caller's role may call the method. A token may have been revoked since the
  // connection was opened, so the token is looked up at each call.
  bool MayCall(const Access& access) const;

  // Checks the session and the executor's name in a request to `Service`, and sets the request's
  // fields `by`, `holder` and `token`. Aborted: the session is not open, or another process holds
  // it. Unauthenticated: the caller may not use the executor's name.
  template <typename Service, typename Request>
  Status Admit(Request& request) const;

 private:
  // A session's number gives no right to the session. An admin may have reserved the name since
  // the session began, so the name is checked at each call.
  Status CheckSession(uint64_t session) const;
  Status CheckName(const std::string& executor) const;

  const Options options_;
  security::Identity caller_;  // without rights until Identify()
  std::string holder_;         // of the sessions that the caller opens
};

template <typename Service, typename Request>
Status CallerRights::Admit(Request& request) const {
  if constexpr (requires { request.session; }) {
    // Executors have a session. Clients call some of the same methods, and send 0.
    if (std::is_same_v<Service, ExecutorService> || request.session != 0)
      DL_RETURN_IF_ERROR(CheckSession(request.session));
  }
  if constexpr (std::is_same_v<Request, RegisterRequest>)
    DL_RETURN_IF_ERROR(CheckName(request.executor));
  if constexpr (requires { request.by; }) request.by = caller_;
  if constexpr (requires { request.holder; }) {
    request.holder = holder_;
    request.token = caller_.token.empty() ? caller_.owner : caller_.token;
  }
  return absl::OkStatus();
}

}  // namespace dl::rpc
