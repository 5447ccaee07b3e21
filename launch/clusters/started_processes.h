// Starts and stops the processes of a cluster that belongs to one command. Shared by
// local-cluster[N], slurm[N] and mpi.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/status.h"
#include "launch/clusters/supervised_process.h"

namespace dl::launch {

// Returns `given` unchecked, or the dl-submit next to this program if `given` is empty. Returns
// NotFound if no dl-submit is next to this program.
StatusOr<std::string> DlSubmitProgram(const std::string& given);

// A master process (`dl-submit master`) on any free port. Not thread-safe.
class MasterProcess {
 public:
  struct Options {
    std::string program, data_dir, log_path;
    int64_t executors = 0;           // number of executors of the cluster
    std::vector<std::string> flags;  // additional flags
  };
  // Returns when the master listens. Returns FailedPrecondition if another process holds the data
  // folder, or if the master reports that it cannot start now. Returns ResourceExhausted if the
  // master could open too few files for its executors. Returns Unavailable with the error in its
  // log if it does not start, and the errors of Spawner::Start.
  static StatusOr<MasterProcess> Start(Options options);
  MasterProcess(MasterProcess&&) = default;
  MasterProcess& operator=(MasterProcess&&) = delete;
  // Sends SIGTERM, waits up to limits::kShutdownTimeout for its last checkpoints, then kills it.
  ~MasterProcess();

  int port() const { return port_; }
  // Returns the address of its first page, with a login code; empty without --http in the flags.
  const std::string& page() const { return page_; }
  // Returns OK while the process runs, else Unavailable, which says how it ended.
  Status Health();

 private:
  MasterProcess(Options options, std::unique_ptr<ChildProcess> process)
      : options_(std::move(options)), process_(std::move(process)) {}
  Status ReadReadyLine();
  Status NotReadyError(const Status& status) const;

  Options options_;
  std::unique_ptr<ChildProcess> process_;
  int port_ = 0;
  std::string page_;
};

struct ExecutorStart {
  std::string program, master_url, token_file;
  std::string isa;  // empty: the best of the machine
  int64_t slots = 1;
  int64_t memory_bytes = 0;  // 0: half of the memory of its machine
};
// Returns the command line of an executor that does not finish its running units when it is
// stopped.
std::vector<std::string> ExecutorArguments(const ExecutorStart& start);

// Waits until all executors have ended by themselves and have written their traces, for at most 15
// s. Must be called after Stop() of each. Destructors end the executors that still run.
void WaitUntilExecutorsEnd(std::span<SupervisedProcess> executors);

}  // namespace dl::launch
