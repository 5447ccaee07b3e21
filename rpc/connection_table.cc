#include "rpc/connection_table.h"

#include <algorithm>

#include "base/limits.h"

namespace dl::rpc {

bool ConnectionTable::MayEnter(const std::string& address) const {
  MutexLock lock(mutex_);
  const auto found = unauthenticated_.find(address);
  if (found == unauthenticated_.end()) return true;
  const Unauthenticated& there = found->second;
  return static_cast<int64_t>(there.lives.size()) < limits::kMaxUnauthenticated ||
         Clock::Real().Now() - there.made_room >= kUnauthenticatedInterval;
}

void ConnectionTable::Add(const std::string& address, uint64_t life) {
  MutexLock lock(mutex_);
  Unauthenticated& there = unauthenticated_[address];
  there.lives.push_back(life);
  if (static_cast<int64_t>(there.lives.size()) <= limits::kMaxUnauthenticated) return;
  there.made_room = Clock::Real().Now();
  watchdog_.Change(there.lives.front(), there.made_room);
  there.lives.pop_front();
}

// A certificate's owner may have the same name as a token's id.
ConnectionTable::Holder ConnectionTable::HolderOf(const security::Identity& caller) {
  return caller.token.empty() ? Holder{caller.owner, ""} : Holder{"", caller.token};
}

bool ConnectionTable::MarkAuthenticated(const std::string& address, uint64_t life,
                                        const security::Identity& caller, int64_t most) {
  const Holder holder = HolderOf(caller);
  MutexLock lock(mutex_);
  const auto same = known_.find(holder);
  if (same != known_.end() && static_cast<int64_t>(same->second.size()) >= most) return false;
  int64_t& authenticated = authenticated_by_address_[address];
  if (authenticated >= most) return false;
  ++authenticated;
  ForgetUnauthenticated(address, life);
  known_[holder].insert(life);
  return true;
}

void ConnectionTable::Remove(const std::string& address, uint64_t life,
                             const security::Identity& caller) {
  MutexLock lock(mutex_);
  ForgetUnauthenticated(address, life);
  auto found = known_.find(HolderOf(caller));
  if (found == known_.end() || found->second.erase(life) == 0) return;
  if (found->second.empty()) known_.erase(found);
  if (auto of_address = authenticated_by_address_.find(address); --of_address->second == 0)
    authenticated_by_address_.erase(of_address);
}

void ConnectionTable::EndConnections(const std::string& token) {
  MutexLock lock(mutex_);
  auto found = known_.find(Holder{"", token});
  if (found == known_.end()) return;
  for (const uint64_t life : found->second) watchdog_.Change(life, Clock::Real().Now());
}

void ConnectionTable::ForgetUnauthenticated(const std::string& address, uint64_t life) {
  auto found = unauthenticated_.find(address);
  if (found == unauthenticated_.end()) return;
  std::erase(found->second.lives, life);
  if (found->second.lives.empty()) unauthenticated_.erase(found);
}

}  // namespace dl::rpc
