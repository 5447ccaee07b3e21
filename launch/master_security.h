// Keys, tokens and audit log of a master, stored in its data folder.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "rpc/service.h"
#include "security/audit_log.h"
#include "security/tls.h"
#include "security/token_store.h"

namespace dl::launch {

// Returns the file of the token that a master creates for its own user: DATA_DIR/token.
std::string TokenFileOf(const std::string& data_dir);

// PEM files of a site's own keys, used instead of those of `cluster init`. Either all are empty, or
// at least certificate and key are given.
struct SiteKeys {
  std::string certificate, key;
  std::string ca;  // clients with a certificate of this CA need no token
};

// Returns the keys for a master of this data folder: the keys of the site, else those of `cluster
// init`, else nullopt. Returns InvalidArgument if the keys of the site are incomplete.
StatusOr<std::optional<security::MasterTls>> KeysFor(const std::string& data_dir,
                                                     const SiteKeys& site);

// Opens keys, tokens and audit log, and implements the administration of tokens. Thread-safe.
class MasterSecurity final : public rpc::AdminService {
 public:
  // Opens DATA_DIR/security, and creates it if it does not exist. Writes the token of the master's
  // user if its file has no valid token. `tls`: nullopt for a master without keys. Returns errors
  // of the files. REQUIRES: this process holds the data folder.
  static StatusOr<std::unique_ptr<MasterSecurity>> Open(
      const std::string& data_dir, const std::optional<security::MasterTls>& tls);

  security::TokenStore& tokens() { return *tokens_; }
  security::AuditLog& audit() { return *audit_; }
  const std::string& fingerprint() const { return fingerprint_; }  // of the CA; empty without keys

  StatusOr<rpc::CreateTokenReply> CreateToken(const rpc::CreateTokenRequest& request,
                                              Duration deadline) override;
  StatusOr<rpc::ListTokensReply> ListTokens(const rpc::ListTokensRequest& request,
                                            Duration deadline) override;
  Status RevokeToken(const rpc::RevokeTokenRequest& request, Duration deadline) override;

 private:
  MasterSecurity() = default;
  Status KeepOwnToken(const std::string& path);

  std::string fingerprint_;
  std::unique_ptr<security::TokenStore> tokens_;
  std::unique_ptr<security::AuditLog> audit_;
};

}  // namespace dl::launch
