// Table of a server's connections: unauthenticated ones by address, others by token or certificate
// owner.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "rpc/watchdog.h"
#include "security/role.h"

namespace dl::rpc {

// After Add has ended a connection to make room, MayEnter returns false for the address for this
// time. It returns true earlier if another unauthenticated connection of the
// address ends or is authenticated.
inline constexpr std::chrono::milliseconds kUnauthenticatedInterval{16};

// Limits the number of connections by address, and by token or owner of a certificate.
// `lifetime_id` identifies a connection. It is the id that WireSocket::LimitLifetime returned, by
// which the watchdog ends the connection. `address` is the network of its peer (NetworkOf).
// Thread-safe.
class ConnectionTable {
 public:
  // `watchdog` must outlive the table.
  explicit ConnectionTable(Watchdog& watchdog) : watchdog_(watchdog) {}

  // Returns whether a new connection from this address may enter now. It may enter if the address
  // has fewer than limits::kMaxUnauthenticated unauthenticated connections. It may also enter if
  // Add has ended no connection of the address during the last kUnauthenticatedInterval. The pause
  // limits the cost of peers that reconnect at once, because each connection costs a thread and a
  // handshake.
  bool MayEnter(const std::string& address) const;
  // Adds an unauthenticated connection. If its address then has more than
  // limits::kMaxUnauthenticated, the oldest of them is ended, because an honest peer is
  // unauthenticated only for a moment.
  void Add(const std::string& address, uint64_t lifetime_id);
  // Marks the connection as authenticated. Connections with one token count together, and so do
  // connections with certificates of one owner. Returns false, and changes nothing, if the address,
  // or the token or owner, already has `most` authenticated connections.
  bool MarkAuthenticated(const std::string& address, uint64_t lifetime_id,
                         const security::Identity& caller, int64_t most);
  // Removes a connection that has ended. `caller`: as in MarkAuthenticated; without an owner and a
  // token if that was not called or returned false.
  void Remove(const std::string& address, uint64_t lifetime_id, const security::Identity& caller);

  // Ends all connections of the token.
  void EndConnections(const std::string& token);

 private:
  struct Unauthenticated {
    std::deque<uint64_t> lifetime_ids;  // oldest first
    Instant last_ended_at;              // when a connection was last ended to make room
  };
  // Owner and token id. Certificates have no token. The owner of a token does not count.
  using Holder = std::pair<std::string, std::string>;
  static Holder HolderOf(const security::Identity& caller);
  void ForgetUnauthenticated(const std::string& address, uint64_t lifetime_id) DL_REQUIRES(mutex_);

  Watchdog& watchdog_;
  mutable Mutex mutex_;
  std::map<std::string, Unauthenticated> unauthenticated_ DL_GUARDED_BY(mutex_);  // by address
  std::map<Holder, std::set<uint64_t>> by_holder_ DL_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> count_by_address_ DL_GUARDED_BY(mutex_);  // number by address
};

}  // namespace dl::rpc
