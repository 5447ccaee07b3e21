// What lets peers into a master: its keys, its tokens, its audit log; all in its data folder.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "rpc/service.h"
#include "security/audit_log.h"
#include "security/tls.h"
#include "security/token_book.h"

namespace dl::launch {

// The token that a master makes for its own user: DATA_DIR/token.
std::string TokenFileOf(const std::string& data_dir);

// A site's own keys, PEM files, in place of those of `cluster init`. All empty, or the first two
// are given.
struct SiteKeys {
  std::string certificate, key;
  std::string ca;  // clients with a certificate of it need no token
};

// The keys that a master of the folder shows: the site's, else those of `cluster init`; nullopt
// where there are none. InvalidArgument for keys of which half is missing.
StatusOr<std::optional<security::MasterTls>> KeysFor(const std::string& data_dir,
                                                     const SiteKeys& site);

// Thread-safe.
class MasterSecurity final : public rpc::AdminService {
 public:
  // The folder is this process's. Writes its token where there is none that is valid.
  static StatusOr<std::unique_ptr<MasterSecurity>> Open(
      const std::string& data_dir, const std::optional<security::MasterTls>& tls);

  security::TokenBook& tokens() { return *tokens_; }
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
  std::unique_ptr<security::TokenBook> tokens_;
  std::unique_ptr<security::AuditLog> audit_;
};

}  // namespace dl::launch
