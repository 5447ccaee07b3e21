// The master of a command whose executors are on several machines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "launch/clusters/started_processes.h"
#include "rpc/client.h"

namespace dl::launch {

// A master process that other machines reach by TLS. The destructor stops the process as that of
// MasterProcess does. Not thread-safe.
class NetworkMaster {
 public:
  struct Options {
    std::string program;   // path of dl-submit, which runs the master (`dl-submit master`)
    std::string data_dir;  // receives keys and a token for executors if it has no keys
    std::string host;      // name under which executors reach this machine
    std::string log_path;
    int64_t executors = 0;  // of the cluster; the process must be able to open files for them
  };
  // Starts the master and makes a client for it. Renews the certificate of the folder if it does
  // not list `host`. Prints on stderr how to query the master. Errors are those of
  // InitializeCluster, ReadCertificateNames, RenewCertificate, MasterProcess::Start and ConnectAs,
  // and NotFound if the folder has keys but no token for executors.
  static StatusOr<NetworkMaster> Start(const Options& options);

  const std::string& url() const { return url_; }                // dl://HOST:PORT
  const std::string& token_file() const { return token_file_; }  // the token for executors
  rpc::Client& client() { return *client_; }                     // valid while this object lives
  // Returns OK while the process runs, else Unavailable, which says how it ended.
  Status Health() { return process_->Health(); }
  // Closes the connection. Later calls of the client fail.
  void Close() { client_->Close(); }

 private:
  NetworkMaster() = default;

  std::string url_, token_file_;
  std::optional<MasterProcess> process_;
  std::unique_ptr<rpc::Client> client_;
};

}  // namespace dl::launch
