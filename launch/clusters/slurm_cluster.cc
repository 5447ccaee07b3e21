#include "launch/clusters/slurm_cluster.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/machine_memory.h"
#include "launch/clusters/network_master.h"
#include "launch/clusters/slurm.h"
#include "launch/clusters/started_processes.h"
#include "launch/clusters/supervised_process.h"

namespace dl::launch {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int64_t Number(const char* name, int64_t otherwise) {
  int64_t number = 0;
  return absl::SimpleAtoi(Variable(name), &number) && number > 0 ? number : otherwise;
}

// Returns the memory of an executor in bytes: half of its share of the allocation, as an executor
// outside of Slurm uses half of its machine. Returns 0 if it shares its node with no other executor
// and determines its memory itself.
int64_t ExecutorMemory(int64_t cpus) {
  const int64_t tasks = MaxTasksPerNode(Variable("SLURM_TASKS_PER_NODE"));
  if (const int64_t of_cpu = Number("SLURM_MEM_PER_CPU", 0); of_cpu > 0)
    return (of_cpu << 20) * cpus / 2;
  if (const int64_t of_node = Number("SLURM_MEM_PER_NODE", 0); of_node > 0)
    return (of_node << 20) / tasks / 2;
  return tasks == 1 ? 0 : AvailableMemoryBytes() / 2 / tasks;
}

class SlurmCluster final : public Cluster {
 public:
  ~SlurmCluster() override {
    if (master_) master_->Close();
    if (executors_) executors_->Stop();
    master_.reset();
    if (executors_) WaitUntilExecutorsEnd({&*executors_, 1});
  }

  Status Open(const ClusterOptions& options) {
    options_ = options;
    const std::string node = Variable("SLURMD_NODENAME");
    if (node.empty() || Variable("SLURM_JOB_ID").empty()) {
      return InvalidArgument({.message = "this process is not in a Slurm allocation",
                              .where = options.target.ToString(),
                              .remedy = absl::StrCat("Use --master slurm[", options.target.count(),
                                                     "], which asks for one")});
    }
    DL_ASSIGN_OR_RETURN(program_, DlSubmitProgram(options.program));
    DL_ASSIGN_OR_RETURN(const std::string host, FindNodeAddress(node));
    DL_ASSIGN_OR_RETURN(NetworkMaster master,
                        NetworkMaster::Start({.program = program_,
                                              .data_dir = options.data_dir,
                                              .host = host,
                                              .log_path = options.target.folder() + "/master.log",
                                              .executors = options.target.count()}));
    master_.emplace(std::move(master));
    return absl::OkStatus();
  }

  Status StartExecutors(const KernelChoice& kernels) override {
    const int64_t cpus = Number("SLURM_CPUS_PER_TASK", 1);
    std::vector<std::string> argv = {
        "srun", absl::StrCat("--ntasks=", options_.target.count()),
        absl::StrCat("--cpus-per-task=", cpus), "--mpi=none",
        // A lost task or node does not end other tasks.
        "--kill-on-bad-exit=0", "--wait=0", "--no-kill", "--open-mode=append", "--output=none",
        absl::StrCat("--error=", SlurmFilePattern(options_.target.folder()), "/executor-%t.log")};
    std::vector<std::string> executor =
        ExecutorArguments({.program = program_,
                           .master_url = master_->url(),
                           .token_file = master_->token_file(),
                           .isa = kernels.isa,
                           .slots = std::min<int64_t>(cpus, limits::kMaxSlots),
                           .memory_bytes = ExecutorMemory(cpus)});
    executor.emplace_back("--restart");  // srun does not restart tasks
    argv.insert(argv.end(), executor.begin(), executor.end());
    DL_ASSIGN_OR_RETURN(SupervisedProcess executors,
                        SupervisedProcess::Start(
                            {.argv = std::move(argv),
                             // Each executor has a cache folder there.
                             .env = {"DL_DATA_DIR=" + options_.data_dir},
                             .out = ChildOutput::Discard(),
                             .err = ChildOutput::File(options_.target.folder() + "/srun.log")}));
    executors_.emplace(std::move(executors));
    return absl::OkStatus();
  }

  rpc::ClientService& client() override { return master_->client(); }

  Status Health() override {
    DL_RETURN_IF_ERROR(master_->Health());
    return executors_ ? executors_->Check() : absl::OkStatus();
  }

 private:
  ClusterOptions options_;
  std::string program_;
  std::optional<NetworkMaster> master_;
  std::optional<SupervisedProcess> executors_;  // srun, which ends when all executors have ended
};

}  // namespace

StatusOr<std::unique_ptr<Cluster>> OpenInAllocation(const ClusterOptions& options) {
  auto cluster = std::make_unique<SlurmCluster>();
  DL_RETURN_IF_ERROR(cluster->Open(options));
  return cluster;
}

}  // namespace dl::launch
