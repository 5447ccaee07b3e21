// How an admin reaches the tokens of a cluster: through its master, or, where none runs, in its
// data folder.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "launch/credentials.h"
#include "launch/data_folder.h"
#include "launch/master_security.h"
#include "launch/target.h"
#include "rpc/client.h"

namespace dl::launch {

class AdminAccess {
 public:
  // A standing master.
  static StatusOr<AdminAccess> Ask(const Target& master, const CredentialSources& credentials);
  // The master that has the folder; the folder itself where none has it. NotFound where no master
  // and no `cluster init` has ever used it.
  static StatusOr<AdminAccess> OfFolder(const std::string& data_dir);

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
