#include "launch/process_cluster.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/process.h"
#include "launch/data_folder.h"
#include "launch/machine_memory.h"
#include "launch/supervised_process.h"
#include "launch/version.h"
#include "rpc/client.h"

namespace dl::launch {
namespace {

StatusOr<std::string> SubmitBinary(const std::string& given) {
  if (!given.empty()) return given;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = self.parent_path() / "dl-submit";
  if (!error && std::filesystem::exists(beside, error)) return beside.string();
  return NotFound({.message = "dl-submit is not beside this program",
                   .where = self.string(),
                   .remedy = "Start the job with dl-submit run"});
}

class ProcessCluster final : public Cluster {
 public:
  ~ProcessCluster() override {
    if (client_ != nullptr) client_->Close();
    for (SupervisedProcess& executor : executors_) executor.Stop();
    if (master_ != nullptr) {
      // The master writes last checkpoints; the executors only have to leave.
      (void)master_->Signal(SIGTERM);
      (void)master_->Wait(limits::kShutdownLimit);
    }
  }

  Status Open(const ClusterOptions& options) {
    DL_ASSIGN_OR_RETURN(const std::string program, SubmitBinary(options.program));
    // The master process would say it too, but only in its log.
    if (auto holder = DataFolder::Holder(options.data_dir))
      return FolderInUse(options.data_dir, *holder);
    const std::string logs = options.log_dir.empty() ? options.data_dir + "/logs" : options.log_dir;
    DL_RETURN_IF_ERROR(CreateFolders(logs));
    Spawner& spawner = Spawner::Real();
    log_path_ = logs + "/master.log";
    DL_ASSIGN_OR_RETURN(
        master_,
        spawner.Start({.argv = {program, "master", "--port", "0", "--data-dir", options.data_dir},
                       .out = ChildOutput::Pipe(),
                       .err = ChildOutput::File(log_path_)}));
    const StatusOr<int> ready = ReadPort();
    if (!ready.ok()) return WhyNotReady(options.data_dir, ready.status());
    const int port = *ready;
    options_ = options;
    program_ = program;
    logs_ = logs;
    url_ = absl::StrCat("dl://127.0.0.1:", port);
    DL_ASSIGN_OR_RETURN(
        client_, rpc::Client::Connect({.endpoint = {"127.0.0.1", port}, .version = kVersion}));
    return absl::OkStatus();
  }

  Status StartExecutors(const std::string& isa) override {
    for (int32_t i = 0; i < options_.target.count; ++i) {
      std::vector<std::string> argv = {
          program_, "executor", "--master", url_, "--slots", "1",
          // Another one at each start: no quarantine outlives what it was about.
          "--name", absl::StrCat("local-", i, "-", getpid()), "--cache-dir",
          absl::StrCat(options_.data_dir, "/executors/", i), "--cache-bytes",
          absl::StrCat(limits::kClusterCacheBytes), "--memory",
          absl::StrCat(MachineMemoryBytes() / 2 / options_.target.count),
          // They end with the run, which has its result or wants none.
          "--drain-seconds", "0"};
      if (!isa.empty()) argv.insert(argv.end(), {"--isa", isa});
      DL_ASSIGN_OR_RETURN(SupervisedProcess executor,
                          SupervisedProcess::Start({.argv = std::move(argv),
                                                    .out = ChildOutput::Discard(),
                                                    .err = ChildOutput::File(absl::StrCat(
                                                        logs_, "/executor-", i, ".log"))}));
      executors_.push_back(std::move(executor));
    }
    return absl::OkStatus();
  }

  rpc::ClientService& client() override { return *client_; }

  Status Health() override {
    if (auto ended = master_->Wait(Duration::zero()); ended.ok()) return MasterEnded(*ended);
    for (SupervisedProcess& executor : executors_) DL_RETURN_IF_ERROR(executor.Check());
    return absl::OkStatus();
  }

 private:
  Status MasterEnded(ExitStatus ended) const {
    return Unavailable({.message = absl::StrCat("the master process ", ToString(ended)),
                        .where = log_path_,
                        .remedy = "Read its log, then start again: running jobs continue"});
  }

  // Somebody may have taken the folder since it was looked at.
  Status WhyNotReady(const std::string& data_dir, const Status& status) const {
    const auto holder = DataFolder::Holder(data_dir);
    return holder && holder->pid != master_->pid() ? FolderInUse(data_dir, *holder) : status;
  }

  StatusOr<int> ReadPort() {
    StatusOr<std::string> line = master_->ReadLine(limits::kReadyLimit);
    if (line.ok()) {
      auto json = ParseJson(*line, "the master's ready line");
      if (json.ok() && json->value("port", 0) > 0) return json->value("port", 0);
    }
    auto log = ReadFile(log_path_, 1 << 20);
    std::string last = "it said nothing";
    if (log.ok() && !log->empty()) {
      while (!log->empty() && log->back() == '\n') log->pop_back();
      last = log->substr(log->rfind('\n') == std::string::npos ? 0 : log->rfind('\n') + 1);
    }
    return Unavailable(
        {.message = "the master process did not start: " + last, .where = log_path_});
  }

  ClusterOptions options_;
  std::string program_, logs_, url_, log_path_;
  std::unique_ptr<ChildProcess> master_;
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
