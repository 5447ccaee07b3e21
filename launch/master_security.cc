#include "launch/master_security.h"

#include "absl/strings/str_cat.h"
#include "base/closed_folder.h"
#include "base/files.h"
#include "base/json.h"
#include "launch/user.h"
#include "rpc/executor_name.h"
#include "rpc/messages.h"
#include "security/certificates.h"
#include "security/secret_file.h"

namespace dl::launch {
namespace {

Json ToJson(const security::TokenRecord& record, int64_t now_unix_ms) {
  Json json = {{"id", record.id},
               {"owner", record.owner},
               {"role", security::RoleName(record.role)},
               {"created_unix_ms", record.created_unix_ms},
               {"expired", record.ExpiredAt(now_unix_ms)}};
  if (record.expires_unix_ms > 0) json["expires_unix_ms"] = record.expires_unix_ms;
  if (!record.executor.empty()) json["executor"] = record.executor;
  return json;
}

}  // namespace

std::string TokenFileOf(const std::string& data_dir) { return data_dir + "/token"; }

StatusOr<std::optional<security::MasterTls>> KeysFor(const std::string& data_dir,
                                                     const SiteKeys& site) {
  if (site.certificate.empty() != site.key.empty() ||
      (site.certificate.empty() && !site.ca.empty())) {
    return InvalidArgument({.message = "a certificate, its key and its CA belong together",
                            .where = site.certificate.empty() ? "--tls-cert" : "--tls-key",
                            .remedy = "Give --tls-cert, --tls-key and --tls-ca"});
  }
  if (!site.certificate.empty()) {
    return security::MasterTls{.certificate = site.certificate, .key = site.key, .ca = site.ca};
  }
  if (!security::HasMasterCertificate(data_dir)) return std::nullopt;
  const security::KeyFiles files = security::KeyFilesIn(data_dir);
  return security::MasterTls{.certificate = files.certificate, .key = files.key};
}

StatusOr<std::unique_ptr<MasterSecurity>> MasterSecurity::Open(
    const std::string& data_dir, const std::optional<security::MasterTls>& tls) {
  std::unique_ptr<MasterSecurity> opened(new MasterSecurity);
  const std::string folder = data_dir + "/security";
  DL_RETURN_IF_ERROR(CreateClosedFolder(folder));
  if (tls) {
    DL_ASSIGN_OR_RETURN(opened->fingerprint_, security::FingerprintOf(*tls));
  }
  DL_ASSIGN_OR_RETURN(opened->tokens_, security::TokenStore::Open(folder + "/tokens.json"));
  DL_ASSIGN_OR_RETURN(opened->audit_, security::AuditLog::Open(folder + "/audit.log"));
  DL_RETURN_IF_ERROR(opened->KeepOwnToken(TokenFileOf(data_dir)));
  return opened;
}

// The token file is changed only if its token is not valid, because executors and commands of this
// user may use it.
Status MasterSecurity::KeepOwnToken(const std::string& path) {
  const auto kept = security::ReadTokenFile(path);
  if (kept.ok() && kept->ca == fingerprint_) {
    const auto known = tokens_->Authenticate(kept->credential());
    if (known && known->role == security::Role::kAdmin) return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(const security::Token token, tokens_->Create({.owner = OwnIdentity().owner,
                                                                    .role = security::Role::kAdmin,
                                                                    .ca = fingerprint_}));
  return security::WriteTokenFile(path, token);
}

StatusOr<rpc::CreateTokenReply> MasterSecurity::CreateToken(const rpc::CreateTokenRequest& request,
                                                            Duration) {
  DL_ASSIGN_OR_RETURN(const security::Role role, security::ParseRole(request.role));
  if (!request.executor.empty() && !rpc::IsExecutorName(request.executor)) {
    return InvalidArgument({.message = "this is not a valid name of an executor",
                            .remedy = absl::StrCat("Use ", rpc::kExecutorNameRule)});
  }
  // A count of nanoseconds overflows after 292 years.
  constexpr int64_t kLongest = int64_t{100} * 365 * 24 * 3600 * 1000;
  DL_ASSIGN_OR_RETURN(const security::Token token,
                      tokens_->Create({.owner = request.owner,
                                       .role = role,
                                       .lifetime = std::chrono::milliseconds(
                                           std::min(request.lifetime_ms, kLongest)),
                                       .ca = fingerprint_,
                                       .executor = request.executor}));
  return rpc::CreateTokenReply{.token = security::ToString(token)};
}

StatusOr<rpc::ListTokensReply> MasterSecurity::ListTokens(const rpc::ListTokensRequest&, Duration) {
  const int64_t now = Clock::Real().WallUnixMs();
  Json list = Json::array();
  for (const security::TokenRecord& record : tokens_->List()) list.push_back(ToJson(record, now));
  return rpc::ListTokensReply{.json = JsonText(list)};
}

Status MasterSecurity::RevokeToken(const rpc::RevokeTokenRequest& request, Duration) {
  return tokens_->Revoke(request.id);
}

}  // namespace dl::launch
