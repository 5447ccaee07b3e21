// The users of a simulated cluster: each has tokens, one for each role that it needs.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "security/role.h"
#include "tests/sim/disk.h"

namespace dl::sim {

class Users {
 public:
  explicit Users(Disk* disk) : disk_(disk) {}

  // The operator on the master's machine: an admin without a token, and without a name.
  static security::Identity Operator() { return {.role = security::Role::kAdmin}; }
  // The user's token for the role, made at the first call. The operator for an empty name.
  const security::Identity& With(const std::string& owner, security::Role role);
  // A token of the user that was revoked.
  security::Identity Revoked(const std::string& owner);

 private:
  Disk* disk_;
  std::map<std::pair<std::string, security::Role>, security::Identity> tokens_;
};

}  // namespace dl::sim
