// What the holder of a token may do. rpc/access.h says which methods that is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::security {

// Stored numbers: never reuse a value.
enum class Role : uint8_t {
  kRead = 1,     // sees jobs, results, checkpoints
  kSubmit = 2,   // and has jobs of its own
  kExecute = 3,  // computes units, and sees no more than these need
  kAdmin = 4,    // everything, with everybody's jobs; tokens
};

std::string_view RoleName(Role role);  // "read", "submit", "execute", "admin"
// InvalidArgument names them.
StatusOr<Role> ParseRole(std::string_view name);

// Whom a connection speaks for.
struct Identity {
  std::string owner;  // of jobs that it submits
  Role role = Role::kRead;
  std::string token;  // its id; empty where it showed a certificate, or is this process itself
  std::string executor = {};  // under which name alone it may register; "": any that is nobody's

  bool operator==(const Identity&) const = default;
};

// Whether jobs and tokens can belong to somebody of that name: short, UTF-8, nothing invisible.
bool IsOwnerName(std::string_view name);
inline constexpr char kOwnerNameRule[] =
    "letters, digits and . _ - @ (at most 64, the first a letter or digit)";

}  // namespace dl::security
