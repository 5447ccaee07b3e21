#include "launch/process_cluster.h"

#include <csignal>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "launch/version.h"
#include "rpc/client.h"

namespace dl::launch {
namespace {

constexpr Duration kReadyLimit = std::chrono::seconds(60);  // opening a store replays its log
constexpr Duration kStopLimit = std::chrono::seconds(60);
constexpr int64_t kExecutorCacheBytes = int64_t{1} << 30;

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
    for (auto& executor : executors_) (void)executor->Signal(SIGTERM);
    if (master_ != nullptr) {
      // The master writes last checkpoints; the executors only have to leave.
      (void)master_->Signal(SIGTERM);
      (void)master_->Wait(kStopLimit);
    }
  }

  Status Open(const ClusterOptions& options) {
    DL_ASSIGN_OR_RETURN(const std::string program, SubmitBinary(options.program));
    const std::string logs = options.log_dir.empty() ? options.data_dir + "/logs" : options.log_dir;
    DL_RETURN_IF_ERROR(CreateFolders(logs));
    Spawner& spawner = Spawner::Real();
    log_path_ = logs + "/master.log";
    DL_ASSIGN_OR_RETURN(
        master_,
        spawner.Start({.argv = {program, "master", "--port", "0", "--data-dir", options.data_dir},
                       .out = ChildOutput::Pipe(),
                       .err = ChildOutput::File(log_path_)}));
    DL_ASSIGN_OR_RETURN(const int port, ReadPort());
    const std::string url = absl::StrCat("dl://127.0.0.1:", port);
    for (int32_t i = 0; i < options.target.count; ++i) {
      std::vector<std::string> argv = {
          program,         "executor",
          "--master",      url,
          "--slots",       "1",
          "--cache-dir",   absl::StrCat(options.data_dir, "/executors/", i),
          "--cache-bytes", absl::StrCat(kExecutorCacheBytes)};
      if (!options.isa.empty()) argv.insert(argv.end(), {"--isa", options.isa});
      DL_ASSIGN_OR_RETURN(
          std::unique_ptr<ChildProcess> executor,
          spawner.Start({.argv = std::move(argv),
                         .out = ChildOutput::Discard(),
                         .err = ChildOutput::File(absl::StrCat(logs, "/executor-", i, ".log"))}));
      executors_.push_back(std::move(executor));
    }
    DL_ASSIGN_OR_RETURN(
        client_, rpc::Client::Connect({.endpoint = {"127.0.0.1", port}, .version = kVersion}));
    return absl::OkStatus();
  }

  rpc::ClientService& client() override { return *client_; }

  Status Health() override {
    auto ended = master_->Wait(Duration::zero());
    if (!ended.ok()) return absl::OkStatus();
    return Unavailable({.message = absl::StrCat("the master process ", ToString(*ended)),
                        .where = log_path_,
                        .remedy = "Read its log, then start again: running jobs continue"});
  }

 private:
  StatusOr<int> ReadPort() {
    StatusOr<std::string> line = master_->ReadLine(kReadyLimit);
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

  std::string log_path_;
  std::unique_ptr<ChildProcess> master_;
  std::vector<std::unique_ptr<ChildProcess>> executors_;
  std::unique_ptr<rpc::Client> client_;
};

}  // namespace

StatusOr<std::unique_ptr<Cluster>> StartProcesses(const ClusterOptions& options) {
  auto cluster = std::make_unique<ProcessCluster>();
  DL_RETURN_IF_ERROR(cluster->Open(options));
  return cluster;
}

}  // namespace dl::launch
