// The processes of a cluster that a command has for itself: what local-cluster[N] and slurm[N]
// share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/status.h"
#include "launch/supervised_process.h"

namespace dl::launch {

// `given`, or where that is empty the dl-submit beside this program. NotFound where there is none.
StatusOr<std::string> DlSubmitProgram(const std::string& given);

// The master, `dl-submit master`, on any free port. Not thread-safe.
class MasterProcess {
 public:
  struct Options {
    std::string program, data_dir, log_path;
    std::vector<std::string> flags;  // more of them
  };
  // When it listens. FailedPrecondition where another process has the data folder or the master
  // says that it cannot start now, Unavailable with what it said last where it does not come up.
  static StatusOr<MasterProcess> Start(Options options);
  MasterProcess(MasterProcess&&) = default;
  MasterProcess& operator=(MasterProcess&&) = delete;
  ~MasterProcess();  // SIGTERM; waits for its last checkpoints, limits::kShutdownLimit at most

  int port() const { return port_; }
  // OK while it runs, else how it ended.
  Status Health();

 private:
  MasterProcess(Options options, std::unique_ptr<ChildProcess> process)
      : options_(std::move(options)), process_(std::move(process)) {}
  StatusOr<int> ReadPort();
  Status WhyNotReady(const Status& status) const;

  Options options_;
  std::unique_ptr<ChildProcess> process_;
  int port_ = 0;
};

struct ExecutorStart {
  std::string program, master_url, token_file;
  std::string isa;  // empty: the best of the machine
  int64_t slots = 1;
  int64_t memory_bytes = 0;  // 0: half of its machine's
};
// The words of an executor that ends with the command, which has its result then or wants none.
std::vector<std::string> ExecutorWords(const ExecutorStart& start);

// Behind Stop() of each: until all have ended by themselves, traces written, 15 s at most. What
// hangs in one of them by then is left to its destructor.
void WaitUntilLeft(std::span<SupervisedProcess> executors);

}  // namespace dl::launch
