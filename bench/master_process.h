// A real `dl-submit master` on loopback, and a client of it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/process.h"
#include "base/status.h"
#include "rpc/client.h"
#include "rpc/endpoint.h"

namespace dl::bench {

// Path of dl-submit, which is in the same folder as this program.
std::string SubmitProgram();

// The process ends when this object is destroyed. Not thread-safe.
class MasterProcess {
 public:
  // Its data is in folder/master, its log beside it. `flags` are additional command-line words.
  explicit MasterProcess(std::string folder, std::vector<std::string> flags = {})
      : folder_(std::move(folder)), flags_(std::move(flags)) {}

  // Starts the process, the first time on any free port, later on the same port. Waits until the
  // master is ready and connects the client. Returns the time at which it was started, or the error
  // of the process, of its credentials or of the connection.
  StatusOr<Instant> Start();
  // Kills the process with SIGKILL and waits for its end. Returns the errors of ChildProcess.
  // REQUIRES, here and below: Start() has returned OK.
  Status Kill();

  rpc::Client& client() { return *client_; }
  const rpc::Endpoint& endpoint() const { return endpoint_; }
  const rpc::Credentials& credentials() const { return credentials_; }  // of the master's own user
  pid_t pid() const { return process_->pid(); }

 private:
  const std::string folder_;
  const std::vector<std::string> flags_;
  rpc::Endpoint endpoint_{"127.0.0.1", 0};
  std::unique_ptr<ChildProcess> process_;
  rpc::Credentials credentials_;
  std::unique_ptr<rpc::Client> client_;
};

}  // namespace dl::bench
