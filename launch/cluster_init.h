// The first step of a cluster of many machines: its keys, and the tokens that let others in.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::launch {

// Where the token for executors is.
std::string ExecutorTokenOf(const std::string& data_dir);

struct InitializedCluster {
  std::vector<std::string> names;  // that the master's certificate has
  std::string executor_token;  // file with a token of role `execute`; empty where it was renewed
};

// Makes the CA, the master's certificate for `names` (empty: what this machine is called), and a
// token for executors, in a data folder that no process has. FailedPrecondition where there are
// keys already, or a process has the folder.
StatusOr<InitializedCluster> InitializeCluster(const std::string& data_dir,
                                               const std::vector<std::string>& names);

// Another certificate of the same CA: for other names, or because the old one ends. Tokens stay
// valid; a master shows it from its next start on. NotFound where there is no CA.
StatusOr<InitializedCluster> RenewCertificate(const std::string& data_dir,
                                              const std::vector<std::string>& names);

}  // namespace dl::launch
