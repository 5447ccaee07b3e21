// The tokens of a cluster. What is kept are hashes: who reads the file can let nobody in.
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

// The file of a book (docs/formats.md).
inline constexpr DocumentKind kTokensDocument({.name = "token list", .version = 1});

// One token as it is kept and listed.
struct TokenRecord {
  std::string id;
  std::string owner;
  Role role = Role::kRead;
  int64_t created_unix_ms = 0;
  int64_t expires_unix_ms = 0;  // 0: never
  std::string secret_sha256;
  std::string executor = {};  // of Role::kExecute: the one name that it is for; "": any

  bool ExpiredAt(int64_t unix_ms) const {
    return expires_unix_ms > 0 && expires_unix_ms <= unix_ms;
  }
};

// The file of a book, as a document. InvalidArgument: it is none; VersionMismatch: of a later
// version.
Json ToJson(const std::vector<TokenRecord>& records);
StatusOr<std::vector<TokenRecord>> TokensFromJson(const Json& json);

// Thread-safe. The clock outlives it.
class TokenBook {
 public:
  // `path` is that of its file; one that is not there is an empty book. Where it is empty, so is
  // the book, and nothing is written. DataLoss for a file that is no book; VersionMismatch for one
  // of a later version.
  static StatusOr<std::unique_ptr<TokenBook>> Open(const std::string& path,
                                                   const Clock& clock = Clock::Real());

  struct NewToken {
    std::string owner;
    Role role = Role::kRead;
    Duration lifetime = Duration(0);  // 0: for ever
    std::string ca;                   // see Token
    std::string executor = {};        // as in TokenRecord; the caller has looked at it
  };
  // Durable when it returns. What it returns is told once and kept nowhere. InvalidArgument for an
  // owner that cannot be one, a lifetime below 0, or an executor's name in another role than
  // execute; ResourceExhausted beyond limits::kMaxTokens that have not expired or reserve a name.
  StatusOr<Token> Create(const NewToken& wanted);
  // Durable when it returns, and told to whom OnRevoked names. NotFound.
  Status Revoke(const std::string& id);
  // In the order of their creation.
  std::vector<TokenRecord> List() const;

  // Whom the credential stands for; nullopt for one that is unknown, wrong, revoked or expired, and
  // nothing more is said. Takes as long for any of them.
  std::optional<Identity> Authenticate(std::string_view credential) const;
  // Whether a token is for executors of this name alone: then no other token may use the name. An
  // expired token reserves its name until it is revoked. Takes no longer with many tokens.
  bool IsReserved(std::string_view executor) const;
  // Whether what Authenticate said still holds, for a connection that goes on.
  bool IsValid(const std::string& id) const;
  // Until when that may be so; Instant::Max() for a token that does not expire.
  Instant ValidUntil(const std::string& id) const;

  // Called behind each revocation with the token's id, by whoever revokes, one at a time; null for
  // nobody. What was set before is called no more when it returns.
  using Told = std::function<void(const std::string& id)>;
  void OnRevoked(Told told) DL_EXCLUDES(telling_);

 private:
  using Records = std::map<std::string, TokenRecord>;
  TokenBook(std::string path, const Clock& clock)
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
  Mutex telling_;
  Told told_ DL_GUARDED_BY(telling_);
};

}  // namespace dl::security
