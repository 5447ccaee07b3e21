// Logins of browsers: a cookie for each, and codes that open one session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "security/role.h"

namespace dl::web {

// Sessions and codes are kept in memory, so they end with the process. Only hashes of their secrets
// are kept. Thread-safe.
class BrowserSessions {
 public:
  struct Options {
    // From the opening. The use of a session does not extend it.
    Duration session_lifetime = std::chrono::hours(24 * 7);
    Duration code_lifetime = std::chrono::minutes(30);
    // Limit for the sessions of each holder: a token, or an owner without a token. A further
    // session ends the oldest session of its holder. The same limits hold for codes.
    size_t max_per_holder = 64;
    // Limit for the sessions of all holders together. A further session ends the oldest session of
    // the holder with the most sessions. If its own holder has as many as that one, it ends the
    // oldest session of its own holder instead.
    size_t max_sessions = 1024;
  };
  explicit BrowserSessions(Options options, const Clock& clock = Clock::Real())
      : options_(options), clock_(clock) {}

  // Opens a session for the caller, and returns the value of its cookie. Returns an error if the
  // system provides no random bits.
  StatusOr<std::string> Open(const security::Identity& caller) DL_EXCLUDES(mutex_);
  // Returns the caller whose session has this cookie, or nullopt if it has ended or never existed.
  std::optional<security::Identity> Find(std::string_view cookie) const DL_EXCLUDES(mutex_);
  // Ends the session with this cookie, if there is one.
  void Close(std::string_view cookie) DL_EXCLUDES(mutex_);

  // Returns a code with which a browser can open one session for the caller. Returns an error if
  // the system provides no random bits.
  StatusOr<std::string> MakeCode(const security::Identity& caller) DL_EXCLUDES(mutex_);
  // Opens the session of a code, and returns the value of its cookie. The code is not valid any
  // more, even if opening fails. Returns Denied for a code that was used, has expired, gave way to
  // newer codes or never existed. Returns an error if the system provides no random bits.
  StatusOr<std::string> Redeem(std::string_view code) DL_EXCLUDES(mutex_);

  Duration session_lifetime() const { return options_.session_lifetime; }

 private:
  struct Entry {
    security::Identity caller;
    std::string secret_sha256;
    Instant opened;
    Instant expires;
  };
  // By the public part of the value, which has the form of security::Token::credential().
  using Entries = std::map<std::string, Entry, std::less<>>;

  // Ends sessions or codes until the caller may have a further one.
  void EndOldest(Entries& entries, const security::Identity& caller) const DL_REQUIRES(mutex_);
  StatusOr<std::string> Add(Entries& entries, const security::Identity& caller, Duration lifetime)
      DL_REQUIRES(mutex_);
  // Returns the entry of a value with the right secret, or end().
  Entries::const_iterator FindIn(const Entries& entries, std::string_view value) const
      DL_REQUIRES(mutex_);

  const Options options_;
  const Clock& clock_;
  mutable Mutex mutex_;
  Entries sessions_ DL_GUARDED_BY(mutex_);
  Entries codes_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::web
