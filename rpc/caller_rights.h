// Decides whether the caller of a connection may make a call, before a service sees the call.
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
#include "security/token_store.h"

namespace dl::rpc {

// The rights of one connection's caller. Identify() must be called once, before MayCall() and
// AuthorizeRequest(). Not thread-safe.
class CallerRights {
 public:
  struct Options {
    // Returns the process that holds a session; nullopt: no such session is open. Must not be null.
    std::function<std::optional<SessionHolder>(uint64_t session)> find_session;
    const security::TokenStore* tokens = nullptr;  // must outlive this; null: no tokens exist
  };
  explicit CallerRights(Options options) : options_(std::move(options)) {}

  // `instance` names the caller's process, as stated in its greeting.
  void Identify(security::Identity caller, const std::string& instance);
  const security::Identity& caller() const { return caller_; }

  // Returns whether the caller's role may call the method and its token, if it has one, is still
  // valid.
  bool MayCall(const Access& access) const;

  // Checks the session and the executor's name in a request to `Service`, if it has them. Session 0
  // in a FetchRequest to ClientService is accepted without a check. Sets the request's fields `by`,
  // `holder`, `token` and `is_of_admin`, if it has them. Returns Aborted if the session is not open
  // or belongs to another process. Returns Unauthenticated if the caller may not use the executor's
  // name.
  template <typename Service, typename Request>
  Status AuthorizeRequest(Request& request) const;

 private:
  // A session number is not a credential. The name is checked at every call, because an admin may
  // have reserved it since the session began.
  Status CheckSession(uint64_t session) const;
  Status CheckName(const std::string& executor) const;

  const Options options_;
  security::Identity caller_;  // without owner and token before Identify()
  std::string holder_;         // identifies the holder of sessions that the caller opens
};

template <typename Service, typename Request>
Status CallerRights::AuthorizeRequest(Request& request) const {
  if constexpr (requires { request.session; }) {
    // Executors have a session. Methods shared with clients accept 0 from clients.
    if (std::is_same_v<Service, ExecutorService> || request.session != 0)
      DL_RETURN_IF_ERROR(CheckSession(request.session));
  }
  if constexpr (std::is_same_v<Request, RegisterRequest>)
    DL_RETURN_IF_ERROR(CheckName(request.executor));
  if constexpr (requires { request.by; }) request.by = caller_;
  if constexpr (requires { request.holder; }) {
    request.holder = holder_;
    request.token = caller_.token.empty() ? caller_.owner : caller_.token;
    request.is_of_admin = caller_.role == security::Role::kAdmin;
  }
  return absl::OkStatus();
}

}  // namespace dl::rpc
