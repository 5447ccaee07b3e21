// Access table: which roles may call which method. Every call of a listed method over a connection
// is checked against it before its arguments are read. Most methods do not compile if they are
// missing here (rpc/connection_handler.cc).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "security/role.h"

namespace dl::rpc {

struct Access {
  std::string_view method;
  uint8_t roles = 0;  // one bit per role that may call it

  constexpr bool Allows(security::Role role) const { return (roles & BitOf(role)) != 0; }
  static constexpr uint8_t BitOf(security::Role role) {
    return static_cast<uint8_t>(1u << static_cast<uint8_t>(role));
  }
};

namespace internal {

// Admins may call every method that any role may call.
template <typename... Roles>
consteval Access Allow(std::string_view method, Roles... roles) {
  return {method, static_cast<uint8_t>(
                      (Access::BitOf(roles) | ... | Access::BitOf(security::Role::kAdmin)))};
}

}  // namespace internal

// Hello is not listed, because its caller has no role yet. The core decides whether a user may act
// on a job.
inline constexpr Access kAccess[] = {
    internal::Allow("Register", security::Role::kExecute),
    internal::Allow("Heartbeat", security::Role::kExecute),
    internal::Allow("Goodbye", security::Role::kExecute),
    internal::Allow("LeaseUnits", security::Role::kExecute),
    internal::Allow("Announce", security::Role::kExecute),
    internal::Allow("ReportFailure", security::Role::kExecute),
    internal::Allow("FetchJob", security::Role::kExecute),
    internal::Allow("FetchPart", security::Role::kExecute),
    internal::Allow("Contribute", security::Role::kExecute),
    internal::Allow("OfferPart", security::Role::kExecute),
    internal::Allow("FetchBlock", security::Role::kExecute, security::Role::kRead,
                    security::Role::kSubmit),
    internal::Allow("MissingBlocks", security::Role::kSubmit),
    internal::Allow("PutBlocks", security::Role::kSubmit),
    internal::Allow("Submit", security::Role::kSubmit),
    internal::Allow("Act", security::Role::kSubmit),
    internal::Allow("Query", security::Role::kRead, security::Role::kSubmit),
    internal::Allow("Events", security::Role::kRead, security::Role::kSubmit),
    internal::Allow("FetchCheckpoint", security::Role::kRead, security::Role::kSubmit),
    internal::Allow("EndRead", security::Role::kRead, security::Role::kSubmit),
    internal::Allow("Measure", security::Role::kExecute, security::Role::kRead,
                    security::Role::kSubmit),
    internal::Allow("Drain"),
    internal::Allow("CreateToken"),
    internal::Allow("ListTokens"),
    internal::Allow("RevokeToken"),
};

constexpr bool IsListed(std::string_view method) {
  return std::ranges::any_of(kAccess, [&](const Access& one) { return one.method == method; });
}
// Returns the row of the method, or null for Hello and for unknown methods.
inline const Access* FindAccess(std::string_view method) {
  const Access* const found = std::ranges::find(kAccess, method, &Access::method);
  return found == std::end(kAccess) ? nullptr : found;
}

}  // namespace dl::rpc
