#include "rpc/connection_table.h"

#include <algorithm>

#include "base/limits.h"

namespace dl::rpc {

bool ConnectionTable::MayEnter(const std::string& address) const {
  MutexLock lock(mutex_);
  const auto found = unauthenticated_.find(address);
  if (found == unauthenticated_.end()) return true;
  const Unauthenticated& there = found->second;
  return static_cast<int64_t>(there.lifetime_ids.size()) < limits::kMaxUnauthenticated ||
         Clock::Real().Now() - there.last_ended_at >= kUnauthenticatedInterval;
}

void ConnectionTable::Add(const std::string& address, uint64_t lifetime_id) {
  MutexLock lock(mutex_);
  Unauthenticated& there = unauthenticated_[address];
  there.lifetime_ids.push_back(lifetime_id);
  if (static_cast<int64_t>(there.lifetime_ids.size()) <= limits::kMaxUnauthenticated) return;
  there.last_ended_at = Clock::Real().Now();
  watchdog_.Change(there.lifetime_ids.front(), there.last_ended_at);
  there.lifetime_ids.pop_front();
}

// A certificate's owner may have the same name as a token's id.
ConnectionTable::Holder ConnectionTable::HolderOf(const security::Identity& caller) {
  return caller.token.empty() ? Holder{caller.owner, ""} : Holder{"", caller.token};
}

bool ConnectionTable::MarkAuthenticated(const std::string& address, uint64_t lifetime_id,
                                        const security::Identity& caller, int64_t most) {
  const Holder holder = HolderOf(caller);
  MutexLock lock(mutex_);
  const auto same = by_holder_.find(holder);
  if (same != by_holder_.end() && static_cast<int64_t>(same->second.size()) >= most) return false;
  int64_t& authenticated = count_by_address_[address];
  if (authenticated >= most) return false;
  ++authenticated;
  ForgetUnauthenticated(address, lifetime_id);
  by_holder_[holder].insert(lifetime_id);
  return true;
}

void ConnectionTable::Remove(const std::string& address, uint64_t lifetime_id,
                             const security::Identity& caller) {
  MutexLock lock(mutex_);
  ForgetUnauthenticated(address, lifetime_id);
  auto found = by_holder_.find(HolderOf(caller));
  if (found == by_holder_.end() || found->second.erase(lifetime_id) == 0) return;
  if (found->second.empty()) by_holder_.erase(found);
  if (auto of_address = count_by_address_.find(address); --of_address->second == 0)
    count_by_address_.erase(of_address);
}

void ConnectionTable::EndConnections(const std::string& token) {
  MutexLock lock(mutex_);
  auto found = by_holder_.find(Holder{"", token});
  if (found == by_holder_.end()) return;
  for (const uint64_t lifetime_id : found->second)
    watchdog_.Change(lifetime_id, Clock::Real().Now());
}

void ConnectionTable::ForgetUnauthenticated(const std::string& address, uint64_t lifetime_id) {
  auto found = unauthenticated_.find(address);
  if (found == unauthenticated_.end()) return;
  std::erase(found->second.lifetime_ids, lifetime_id);
  if (found->second.lifetime_ids.empty()) unauthenticated_.erase(found);
}

}  // namespace dl::rpc
