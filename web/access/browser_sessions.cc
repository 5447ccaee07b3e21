#include "web/access/browser_sessions.h"

#include <utility>

#include "security/token.h"

namespace dl::web {
namespace {

// The owner and the id of the token. The id is empty for a login code without a token.
using Holder = std::pair<std::string, std::string>;

Holder HolderOf(const security::Identity& caller) { return {caller.owner, caller.token}; }

}  // namespace

void BrowserSessions::EndOldest(Entries& entries, const security::Identity& caller) const {
  const Instant now = clock_.Now();
  std::erase_if(entries, [&](const auto& entry) { return entry.second.expires <= now; });
  struct Held {
    size_t count = 0;
    Entries::const_iterator oldest;
  };
  std::map<Holder, Held> holders;
  for (auto entry = entries.cbegin(); entry != entries.cend(); ++entry) {
    Held& held = holders[HolderOf(entry->second.caller)];
    if (held.count++ == 0 || entry->second.opened < held.oldest->second.opened) held.oldest = entry;
  }
  const auto own = holders.find(HolderOf(caller));
  const bool is_full = entries.size() >= options_.max_sessions;
  if (own != holders.end() && own->second.count >= options_.max_per_holder) {
    entries.erase(own->second.oldest);
  } else if (is_full) {
    auto largest = own != holders.end() ? own : holders.begin();
    for (auto holder = holders.begin(); holder != holders.end(); ++holder) {
      if (holder->second.count > largest->second.count) largest = holder;
    }
    entries.erase(largest->second.oldest);
  }
}

StatusOr<std::string> BrowserSessions::Add(Entries& entries, const security::Identity& caller,
                                           Duration lifetime) {
  DL_ASSIGN_OR_RETURN(const security::Token value, security::MakeToken(""));
  EndOldest(entries, caller);
  const Instant now = clock_.Now();
  entries[value.id] = {.caller = caller,
                       .secret_sha256 = security::HashOfSecret(value.secret),
                       .opened = now,
                       .expires = now + lifetime};
  return value.credential();
}

BrowserSessions::Entries::const_iterator BrowserSessions::FindIn(const Entries& entries,
                                                                 std::string_view value) const {
  const security::Credential parts = security::ParseCredential(value);
  const auto found = entries.find(parts.id);
  if (found == entries.end() || found->second.expires <= clock_.Now() ||
      !security::IsSameSecret(found->second.secret_sha256, security::HashOfSecret(parts.secret))) {
    return entries.end();
  }
  return found;
}

StatusOr<std::string> BrowserSessions::Open(const security::Identity& caller) {
  MutexLock lock(mutex_);
  return Add(sessions_, caller, options_.session_lifetime);
}

std::optional<security::Identity> BrowserSessions::Find(std::string_view cookie) const {
  MutexLock lock(mutex_);
  const auto found = FindIn(sessions_, cookie);
  if (found == sessions_.end()) return std::nullopt;
  return found->second.caller;
}

void BrowserSessions::Close(std::string_view cookie) {
  MutexLock lock(mutex_);
  const auto found = FindIn(sessions_, cookie);
  if (found != sessions_.end()) sessions_.erase(found);
}

StatusOr<std::string> BrowserSessions::MakeCode(const security::Identity& caller) {
  MutexLock lock(mutex_);
  return Add(codes_, caller, options_.code_lifetime);
}

StatusOr<std::string> BrowserSessions::Redeem(std::string_view code) {
  MutexLock lock(mutex_);
  const auto found = FindIn(codes_, code);
  if (found == codes_.end()) {
    return Denied({.message = "this login code was used, has expired or is wrong",
                   .remedy = "Log in with a token"});
  }
  const security::Identity caller = found->second.caller;
  codes_.erase(found);
  return Add(sessions_, caller, options_.session_lifetime);
}

}  // namespace dl::web
