// The roles of tokens. rpc/access.h defines which methods a role may call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::security {

// The numbers are stored: never reuse a value.
enum class Role : uint8_t {
  kRead = 1,     // may see jobs, results, checkpoints and data
  kSubmit = 2,   // may also upload data, submit jobs and control its own jobs
  kExecute = 3,  // may compute units, and see only the jobs and data of units
  kAdmin = 4,    // may do everything, also with jobs of other owners, and manage tokens
};

std::string_view RoleName(Role role);  // "read", "submit", "execute", "admin"
// Returns InvalidArgument, which lists the names, for an unknown name.
StatusOr<Role> ParseRole(std::string_view name);

// The authenticated identity of a caller.
struct Identity {
  std::string owner;  // owner of the jobs that it submits
  Role role = Role::kRead;
  std::string token;  // id of the token; empty for a certificate and for calls within the process
  std::string executor = {};  // the only name under which it may register; "": any unreserved name

  bool operator==(const Identity&) const = default;
};

// Returns true if jobs and tokens can have an owner of this name (kOwnerNameRule).
bool IsOwnerName(std::string_view name);
inline constexpr char kOwnerNameRule[] =
    "letters, digits and . _ - @ (at most 64, the first a letter or digit)";

}  // namespace dl::security
