// The users of a simulated cluster. Each has one token for each role that it needs.
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

  // The operator on the master's machine: an admin without a token or a name.
  static security::Identity Operator() { return {.role = security::Role::kAdmin}; }
  // Returns the user's token for the role, created at the first call. An empty name is the
  // operator.
  const security::Identity& With(const std::string& owner, security::Role role);
  // Returns a revoked token of the user.
  security::Identity Revoked(const std::string& owner);

 private:
  Disk* disk_;
  std::map<std::pair<std::string, security::Role>, security::Identity> tokens_;
};

}  // namespace dl::sim
