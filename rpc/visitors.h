// Who is connected to a server: strangers by their address, others by the token that they showed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "base/mutex.h"
#include "rpc/watchdog.h"

namespace dl::rpc {

inline constexpr std::chrono::milliseconds kStrangersPace{16};

// Connections are named by the watch that ends them (WireSocket::LimitLife), addresses by their
// network (NetworkOf). Thread-safe.
class Visitors {
 public:
  explicit Visitors(Watchdog& watchdog) : watchdog_(watchdog) {}

  // Whether one more may come from there now: the address has fewer than limits::kMaxStrangers
  // strangers, or none of them had to go for kStrangersPace (who is sent away may come again at
  // once, and each coming costs a thread and a handshake).
  bool MayArrive(const std::string& address) const;
  // A connection whose peer has not said who it is. Of limits::kMaxStrangers of one address the one
  // that has been there longest is ended: who means well is one for a moment only.
  void Arrived(const std::string& address, uint64_t life);
  // The peer has said Hello. False if the address or the token has `most` such connections already:
  // then it stays a stranger.
  bool Introduced(const std::string& address, uint64_t life, const std::string& token,
                  int64_t most);
  void Left(const std::string& address, uint64_t life, const std::string& token);

  // Ends the connections of whoever came with the token.
  void End(const std::string& token);

 private:
  struct Strangers {
    std::deque<uint64_t> lives;  // the longest there first
    Instant made_room;           // when one had to go
  };
  void ForgetStranger(const std::string& address, uint64_t life) DL_REQUIRES(mutex_);

  Watchdog& watchdog_;
  mutable Mutex mutex_;
  std::map<std::string, Strangers> strangers_ DL_GUARDED_BY(mutex_);  // by address
  // By token; those with a certificate have none.
  std::map<std::string, std::set<uint64_t>> known_ DL_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> introduced_ DL_GUARDED_BY(mutex_);  // how many, by address
};

}  // namespace dl::rpc
