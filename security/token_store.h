// The tokens of a cluster. Only hashes of their secrets are stored, so a reader of the file gains
// no access.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/document_kind.h"
#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/status.h"
#include "security/role.h"
#include "security/steady_wall_clock.h"
#include "security/token.h"

namespace dl::security {

// The file of a token store (docs/formats.md).
inline constexpr DocumentKind kTokensDocument({.name = "token list", .version = 1});

// A token as it is stored and listed.
struct TokenRecord {
  std::string id;
  std::string owner;
  Role role = Role::kRead;
  int64_t created_unix_ms = 0;
  int64_t expires_unix_ms = 0;  // 0: never
  std::string secret_sha256;    // HashOfSecret
  std::string executor = {};    // with Role::kExecute: the only executor name allowed; "": any

  bool ExpiredAt(int64_t unix_ms) const {
    return expires_unix_ms > 0 && expires_unix_ms <= unix_ms;
  }
};

// Convert between a token store and its file. TokensFromJson returns InvalidArgument for an invalid
// document, VersionMismatch for a later version.
Json ToJson(const std::vector<TokenRecord>& records);
StatusOr<std::vector<TokenRecord>> TokensFromJson(const Json& json);

// Stores, creates, revokes and checks tokens. Thread-safe. The clock must outlive it.
class TokenStore {
 public:
  // Opens the store in the file `path`. The store is empty if the file does not exist. If `path` is
  // empty, the store is empty and is never written to disk. Returns DataLoss for a damaged file,
  // VersionMismatch for a later version, and errors of the file system.
  static StatusOr<std::unique_ptr<TokenStore>> Open(const std::string& path,
                                                    const Clock& clock = Clock::Real());

  struct NewToken {
    std::string owner;
    Role role = Role::kRead;
    Duration lifetime = Duration(0);  // 0: the token does not expire
    std::string ca;                   // see Token
    std::string executor = {};        // see TokenRecord; the caller has validated it
  };
  // Creates a token, durable when it returns OK. The secret is not stored and cannot be shown
  // again. If the store has limits::kMaxTokens tokens, expired tokens that reserve no name are
  // deleted first. Returns InvalidArgument for an invalid owner, a negative lifetime, or an
  // executor name in a role other than execute. Returns ResourceExhausted if limits::kMaxTokens
  // tokens remain. Returns errors of the file system.
  StatusOr<Token> Create(const NewToken& wanted);
  // Revokes a token, durable when it returns OK, and calls the revocation callback if one is set.
  // Returns NotFound for an unknown id, and errors of the file system.
  Status Revoke(const std::string& id);
  // Returns all tokens, ordered by TokenRecord::created_unix_ms.
  std::vector<TokenRecord> List() const;

  // Returns the identity of the credential, or nullopt if it is unknown, wrong, revoked or expired.
  // The time does not show whether the id or the secret is wrong.
  std::optional<Identity> Authenticate(std::string_view credential) const;
  // Returns true if a token is bound to this executor name. Only tokens that are bound to the name
  // may then use it. An expired token reserves its name until it is revoked. The time does not grow
  // with the number of tokens.
  bool IsReserved(std::string_view executor) const;
  // Returns true if the store has the token and it has not expired. For a connection that was
  // authenticated earlier.
  bool IsValid(const std::string& id) const;
  // Returns the time until which the token is valid unless it is revoked, at most a year ahead.
  // Returns Instant::Max() for a token that does not expire, and the present time for an expired
  // token or an unknown id.
  Instant ValidUntil(const std::string& id) const;

  // Sets a callback that receives the token's id after each revocation, or removes it with null.
  // The revoking thread calls it, one revocation at a time. The callback must call neither Revoke
  // nor this method. The previous callback is not called any more when this returns.
  using RevocationCallback = std::function<void(const std::string& id)>;
  void SetRevocationCallback(RevocationCallback callback) DL_EXCLUDES(callback_mutex_);

 private:
  using Records = std::map<std::string, TokenRecord>;
  TokenStore(std::string path, const Clock& clock)
      : path_(std::move(path)), clock_(clock), wall_(clock) {}
  Status Load() DL_EXCLUDES(mutex_);
  Status Store(const Records& records) const;
  void Use(Records records) DL_REQUIRES(mutex_);

  const std::string path_;
  const Clock& clock_;
  const SteadyWallClock wall_;
  mutable Mutex mutex_;
  Records records_ DL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> reserved_ DL_GUARDED_BY(mutex_);  // names of executors
  Mutex callback_mutex_;
  RevocationCallback callback_ DL_GUARDED_BY(callback_mutex_);
};

}  // namespace dl::security
