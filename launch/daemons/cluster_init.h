// Creates the keys and tokens of a cluster of several machines (`cluster init`).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::launch {

// Returns the path of the file with the token for executors: DATA_DIR/executor-token.
std::string ExecutorTokenFile(const std::string& data_dir);

struct InitializedCluster {
  std::vector<std::string> names;  // names in the master's certificate
  std::string executor_token;      // file with a token of role `execute`; empty after a renewal
};

// Creates the CA, the master's certificate, the token of the master's user and a token for
// executors. The certificate lists `names` (empty: the names of this machine), localhost, 127.0.0.1
// and ::1. Returns AlreadyExists if the folder has a CA already; FailedPrecondition if a process
// holds it; InvalidArgument for an invalid name; and errors of the file system.
StatusOr<InitializedCluster> InitializeCluster(const std::string& data_dir,
                                               const std::vector<std::string>& names);

// Issues another certificate of the same CA, for other names or because the old certificate
// expires. Empty `names` keep those of the current certificate. Tokens stay valid. A running master
// uses the new certificate after its next start. Returns NotFound if there is no CA, and
// InvalidArgument for an invalid name or a damaged CA.
StatusOr<InitializedCluster> RenewCertificate(const std::string& data_dir,
                                              const std::vector<std::string>& names);

}  // namespace dl::launch
