#include "tests/support/admitted.h"

#include <map>

#include "base/mutex.h"

namespace dl::test {

security::TokenStore& TestTokens() {
  static security::TokenStore* const store = security::TokenStore::Open("")->release();
  return *store;
}

const security::Token& TokenOf(security::Role role) {
  static Mutex* const mutex = new Mutex;
  static auto* const tokens = new std::map<security::Role, security::Token>;
  MutexLock lock(*mutex);
  auto found = tokens->find(role);
  if (found == tokens->end())
    found = tokens->emplace(role, *TestTokens().Create({.owner = "tester", .role = role})).first;
  return found->second;
}

rpc::Credentials Admitted(security::Role role) { return {.token = TokenOf(role).credential()}; }

}  // namespace dl::test
