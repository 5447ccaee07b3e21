// Access of an administrator to the tokens of a cluster: through the running master, or directly in
// the data folder if no master runs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "launch/clusters/target.h"
#include "launch/credentials.h"
#include "launch/daemons/data_folder.h"
#include "launch/master_security.h"
#include "rpc/client.h"

namespace dl::launch {

class AdminAccess {
 public:
  // Connects to a standing master. Errors are those of ConnectAs. REQUIRES: master.is_standing().
  static StatusOr<AdminAccess> Connect(const Target& master, const CredentialSources& credentials);
  // Connects to the master that holds the folder, or opens the folder itself if no process holds
  // it. Returns NotFound if no master and no `cluster init` has ever used the folder. Returns
  // FailedPrecondition if a process that answers no calls holds it. Other errors are those of
  // ConnectAs, DataFolder::Open, KeysFor and MasterSecurity::Open.
  static StatusOr<AdminAccess> OpenFolder(const std::string& data_dir);

  // Valid while this object lives.
  rpc::AdminService& service() {
    return client_ != nullptr ? static_cast<rpc::AdminService&>(*client_) : *security_;
  }

 private:
  AdminAccess() = default;

  std::optional<DataFolder> folder_;
  std::unique_ptr<MasterSecurity> security_;
  std::unique_ptr<rpc::Client> client_;
};

}  // namespace dl::launch
