#include "tests/sim/users.h"

namespace dl::sim {

const security::Identity& Users::With(const std::string& owner, security::Role role) {
  const auto [place, fresh] = tokens_.try_emplace({owner, role});
  if (fresh)
    place->second = owner.empty() ? Operator() : disk_->Introduce({.owner = owner, .role = role});
  return place->second;
}

security::Identity Users::Revoked(const std::string& owner) {
  security::Identity user = disk_->Introduce({.owner = owner, .role = security::Role::kSubmit});
  DL_CHECK(disk_->tokens->Revoke(user.token).ok());
  return user;
}

}  // namespace dl::sim
