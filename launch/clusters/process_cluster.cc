#include "launch/clusters/process_cluster.h"

#include <unistd.h>

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/closed_folder.h"
#include "base/files.h"
#include "base/machine_memory.h"
#include "launch/clusters/memory_throttle.h"
#include "launch/clusters/started_processes.h"
#include "launch/clusters/supervised_process.h"
#include "launch/master_security.h"
#include "launch/process_setup.h"
#include "rpc/client.h"

namespace dl::launch {
namespace {

class ProcessCluster final : public Cluster {
 public:
  ~ProcessCluster() override {
    if (client_ != nullptr) client_->Close();
    // Executors leave while the master writes its last checkpoints.
    for (SupervisedProcess& executor : executors_) executor.Stop();
    master_.reset();
    WaitUntilExecutorsEnd(executors_);
  }

  Status Open(const ClusterOptions& options) {
    options_ = options;
    DL_ASSIGN_OR_RETURN(program_, DlSubmitProgram(options.program));
    logs_ = options.log_dir.empty() ? options.data_dir + "/logs" : options.log_dir;
    DL_RETURN_IF_ERROR(CreateClosedFolder(logs_));
    // All processes share the memory limit of a container. Executors get half of it, the master a
    // quarter.
    const AvailableMemory memory = FindAvailableMemory();
    executor_memory_ = memory.bytes / 2 / options.target.count();
    std::vector<std::string> flags = {"--no-other-executors", "--executor-memory",
                                      absl::StrCat(executor_memory_)};
    if (!memory.limit.empty())
      flags.insert(flags.end(), {"--memory", absl::StrCat(memory.bytes / 4)});
    if (options.http_port) flags.insert(flags.end(), {"--http", absl::StrCat(*options.http_port)});
    DL_ASSIGN_OR_RETURN(MasterProcess master,
                        MasterProcess::Start({.program = program_,
                                              .data_dir = options.data_dir,
                                              .log_path = logs_ + "/master.log",
                                              .executors = options.target.count(),
                                              .flags = std::move(flags)}));
    master_.emplace(std::move(master));
    const rpc::Endpoint endpoint{"127.0.0.1", master_->port()};
    url_ = rpc::ToString(endpoint);
    DL_ASSIGN_OR_RETURN(client_, ConnectAs({.data_dir = options.data_dir}, endpoint));
    return absl::OkStatus();
  }

  Status StartExecutors(const KernelChoice& kernels) override {
    DL_RETURN_IF_ERROR(CheckComputesHere(kernels));
    const int32_t count = options_.target.count();
    for (int32_t i = 0; i < count; ++i) {
      std::vector<std::string> argv =
          ExecutorArguments({.program = program_,
                             .master_url = url_,
                             .token_file = TokenFileOf(options_.data_dir),
                             .isa = kernels.isa,
                             .memory_bytes = executor_memory_});
      // The name differs at each start, so a quarantine does not affect executors of a later start.
      argv.insert(argv.end(), {"--name", absl::StrCat("local-", i, "-", getpid()), "--cache-dir",
                               absl::StrCat(options_.data_dir, "/executors/", i)});
      DL_ASSIGN_OR_RETURN(SupervisedProcess executor,
                          SupervisedProcess::Start({.argv = std::move(argv),
                                                    .env = OpenMpSettingsOf(count),
                                                    .out = ChildOutput::Discard(),
                                                    .err = ChildOutput::File(absl::StrCat(
                                                        logs_, "/executor-", i, ".log"))}));
      executors_.push_back(std::move(executor));
    }
    return absl::OkStatus();
  }

  rpc::ClientService& client() override { return *client_; }
  std::string page() const override { return master_->page(); }

  Status Health() override {
    throttle_.WarnIfThrottled();
    DL_RETURN_IF_ERROR(master_->Health());
    for (SupervisedProcess& executor : executors_) DL_RETURN_IF_ERROR(executor.Check());
    return absl::OkStatus();
  }

 private:
  ClusterOptions options_;
  std::string program_, logs_, url_;
  int64_t executor_memory_ = 0;  // of each executor
  MemoryThrottle throttle_;
  std::optional<MasterProcess> master_;
  std::vector<SupervisedProcess> executors_;
  std::unique_ptr<rpc::Client> client_;
};

}  // namespace

StatusOr<std::unique_ptr<Cluster>> OpenProcesses(const ClusterOptions& options) {
  auto cluster = std::make_unique<ProcessCluster>();
  DL_RETURN_IF_ERROR(cluster->Open(options));
  return cluster;
}

}  // namespace dl::launch
