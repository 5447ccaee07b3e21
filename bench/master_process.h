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

// The program beside this one.
std::string SubmitProgram();

// Not thread-safe. Ends with it.
class MasterProcess {
 public:
  // `folder`: its data is in folder/master, its log beside it. `flags`: more words for it.
  explicit MasterProcess(std::string folder, std::vector<std::string> flags = {})
      : folder_(std::move(folder)), flags_(std::move(flags)) {}

  // The first time on any free port, then on the same one. Returns when it was started.
  StatusOr<Instant> Start();
  // SIGKILL, and its end.
  Status Kill();

  rpc::Client& client() { return *client_; }
  const rpc::Endpoint& endpoint() const { return endpoint_; }
  const rpc::Credentials& credentials() const { return credentials_; }  // of its own user
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
