#include "launch/clusters/network_master.h"

#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "launch/credentials.h"
#include "launch/daemons/cluster_init.h"
#include "launch/master_security.h"
#include "security/certificates.h"

namespace dl::launch {
namespace {

// Ensures that there are keys for the network, and that the certificate is valid for this machine.
// A restarted job may have its master on another machine.
Status EnsureKeys(const std::string& data_dir, const std::string& host) {
  std::vector<std::string> names = security::FindMachineNames();
  if (!security::HasMasterCertificate(data_dir)) {
    names.insert(names.begin(), host);
    return InitializeCluster(data_dir, names).status();
  }
  const std::string certificate = security::KeyFilesIn(data_dir).certificate;
  if (security::CheckCertificateName(certificate, host).ok()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> old,
                      security::ReadCertificateNames(certificate));
  names.insert(names.begin(), old.begin(), old.end());
  names.insert(names.begin(), host);
  return RenewCertificate(data_dir, names).status();
}

}  // namespace

StatusOr<NetworkMaster> NetworkMaster::Start(const Options& options) {
  NetworkMaster master;
  DL_RETURN_IF_ERROR(EnsureKeys(options.data_dir, options.host));
  master.token_file_ = ExecutorTokenFile(options.data_dir);
  if (std::error_code error; !std::filesystem::exists(master.token_file_, error)) {
    return NotFound(
        {.message = "there is no token for executors",
         .where = master.token_file_,
         .remedy = absl::StrCat("Create one: dl-submit cluster token create --data-dir ",
                                options.data_dir, " --role execute -o ", master.token_file_)});
  }
  DL_ASSIGN_OR_RETURN(
      MasterProcess process,
      MasterProcess::Start({.program = options.program,
                            .data_dir = options.data_dir,
                            .log_path = options.log_path,
                            .executors = options.executors,
                            .flags = {"--address", "0.0.0.0", "--advertise", options.host}}));
  master.process_.emplace(std::move(process));
  const rpc::Endpoint endpoint{options.host, master.process_->port()};
  master.url_ = rpc::ToString(endpoint);
  DL_ASSIGN_OR_RETURN(master.client_, ConnectAs({.data_dir = options.data_dir}, endpoint));
  std::cerr << "its master is " << master.url_ << "; to ask it: dl-submit status --master "
            << master.url_ << " --token-file " << TokenFileOf(options.data_dir) << std::endl;
  return master;
}

}  // namespace dl::launch
