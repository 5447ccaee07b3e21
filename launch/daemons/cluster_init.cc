#include "launch/daemons/cluster_init.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "launch/daemons/data_folder.h"
#include "launch/master_security.h"
#include "launch/user.h"
#include "security/certificates.h"
#include "security/secret_file.h"

namespace dl::launch {
namespace {

// Adds the names by which commands on the master's own machine reach it.
std::vector<std::string> WithLoopback(std::vector<std::string> names) {
  for (const char* name : {"localhost", "127.0.0.1", "::1"}) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::string ExecutorTokenFile(const std::string& data_dir) { return data_dir + "/executor-token"; }

StatusOr<InitializedCluster> InitializeCluster(const std::string& data_dir,
                                               const std::vector<std::string>& names) {
  DL_ASSIGN_OR_RETURN(const DataFolder folder, DataFolder::Open(data_dir));
  const security::KeyFiles files = security::KeyFilesIn(data_dir);
  DL_RETURN_IF_ERROR(security::MakeAuthority(files));
  DL_RETURN_IF_ERROR(security::IssueCertificate(
      files, WithLoopback(names.empty() ? security::FindMachineNames() : names)));
  DL_ASSIGN_OR_RETURN(const auto keys, KeysFor(data_dir, {}));
  // Also writes the token of the current user.
  DL_ASSIGN_OR_RETURN(const std::unique_ptr<MasterSecurity> opened,
                      MasterSecurity::Open(data_dir, keys));
  DL_ASSIGN_OR_RETURN(const security::Token token,
                      opened->tokens().Create({.owner = OwnIdentity().owner,
                                               .role = security::Role::kExecute,
                                               .ca = opened->fingerprint()}));
  InitializedCluster made{.executor_token = ExecutorTokenFile(data_dir)};
  DL_RETURN_IF_ERROR(security::WriteTokenFile(made.executor_token, token));
  DL_ASSIGN_OR_RETURN(made.names, security::ReadCertificateNames(files.certificate));
  return made;
}

StatusOr<InitializedCluster> RenewCertificate(const std::string& data_dir,
                                              const std::vector<std::string>& names) {
  const security::KeyFiles files = security::KeyFilesIn(data_dir);
  std::error_code error;
  if (!std::filesystem::exists(files.ca, error)) {
    return NotFound({.message = "the data folder has no keys yet",
                     .where = data_dir,
                     .remedy = "Create them without --renew"});
  }
  std::vector<std::string> wanted = names;
  if (wanted.empty()) {
    // Keeps the names of the current certificate, because a renewal must change nothing else.
    DL_ASSIGN_OR_RETURN(wanted, security::ReadCertificateNames(files.certificate));
  }
  DL_RETURN_IF_ERROR(security::IssueCertificate(files, WithLoopback(wanted)));
  InitializedCluster made;
  DL_ASSIGN_OR_RETURN(made.names, security::ReadCertificateNames(files.certificate));
  return made;
}

}  // namespace dl::launch
