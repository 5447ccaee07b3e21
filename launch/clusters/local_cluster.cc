#include "launch/clusters/local_cluster.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/machine_memory.h"
#include "base/mutex.h"
#include "executor/executor.h"
#include "launch/clusters/computation_marker.h"
#include "launch/clusters/executor_identity.h"
#include "launch/clusters/memory_throttle.h"
#include "launch/clusters/shared_memory_exchange.h"
#include "launch/clusters/started_processes.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/folder_fence.h"
#include "launch/daemons/local_master_registry.h"
#include "launch/import/file_imports.h"
#include "launch/master_security.h"
#include "launch/user.h"
#include "launch/version.h"
#include "master/master.h"
#include "nn/conf/contract_id.h"
#include "rpc/endpoint.h"
#include "rpc/server.h"
#include "storage/free_space.h"
#include "web/web_server.h"

namespace dl::launch {
namespace {

constexpr Duration kStopLimit = std::chrono::seconds(60);

// Deletes reserved space and caches. Both are created again when they are needed.
void MakeRoom(const std::string& data_dir) {
  std::error_code ignored;
  for (const char* spare : {"/meta/BALLAST", "/imports", "/executors"})
    std::filesystem::remove_all(data_dir + spare, ignored);
}

StatusOr<master::MasterOptions::FullDisk> PrepareForFullDisk(const ClusterOptions& options) {
  using FullDisk = master::MasterOptions::FullDisk;
  const Status room = storage::RequireFreeBytes(
      options.data_dir, limits::kMetaMinFreeBytes + limits::kMetaOrdinaryBatchBytes);
  if (room.ok() || options.full_disk == ClusterOptions::FullDisk::kRefuse) return FullDisk::kRefuse;
  if (options.full_disk == ClusterOptions::FullDisk::kRead) {
    LogInfo("the data folder is only read: ", DescribeError(room));
    return FullDisk::kRead;
  }
  MakeRoom(options.data_dir);
  return FullDisk::kUse;
}

class LocalCluster final : public Cluster {
 public:
  ~LocalCluster() override {
    if (master_ != nullptr && full_disk_ != master::MasterOptions::FullDisk::kRead)
      master_->Shutdown(kStopLimit);
    executor_.reset();
    pages_.reset();
    imports_.reset();
    server_.reset();
    if (note_ && executor_started_) note_->Clear();
  }

  Status Open(const ClusterOptions& options) {
    slots_ = options.target.count();
    DL_ASSIGN_OR_RETURN(DataFolder folder, DataFolder::Open(options.data_dir));
    folder_.emplace(std::move(folder));
    DL_ASSIGN_OR_RETURN(full_disk_, PrepareForFullDisk(options));
    // A folder that is only read must not be written, so there is no fence, and other commands get
    // no answer.
    if (full_disk_ != master::MasterOptions::FullDisk::kRead) {
      DL_ASSIGN_OR_RETURN(fence_, FolderFence::Take({.data_dir = options.data_dir,
                                                     .on_lost = [this](const Status& status) {
                                                       MutexLock lock(mutex_);
                                                       fatal_ = status;
                                                     }}));
      DL_ASSIGN_OR_RETURN(keys_, KeysFor(options.data_dir, {}));
      DL_ASSIGN_OR_RETURN(security_, MasterSecurity::Open(options.data_dir, keys_));
    }
    data_dir_ = options.data_dir;
    program_ = options.program;
    http_port_ = options.http_port;
    models_ = options.models;
    note_.emplace(ComputationMarker::Read(data_dir_));
    const AvailableMemory memory = FindAvailableMemory();
    unit_memory_ = MemoryForData(memory.bytes);
    master::CoreOptions core{.verify_sample = false,
                             .is_known_contract = nn::IsKnownContract,
                             .executors_can_restart = false,
                             .records_history = options.records_history,
                             .only_unit_memory = unit_memory_,
                             .memory_limit = memory.limit};
    core.memory_bytes = std::min(core.memory_bytes, unit_memory_);
    core.staging_bytes = std::min(core.staging_bytes, core.memory_bytes / 16);
    // The master needs space to open its stores.
    if (full_disk_ != master::MasterOptions::FullDisk::kRead)
      DL_RETURN_IF_ERROR(DeleteReceivedFiles(data_dir_));
    DL_ASSIGN_OR_RETURN(
        master_,
        master::Master::Open(
            {.data_dir = options.data_dir,
             .core = std::move(core),
             .full_disk = full_disk_,
             .may_write = [this] { return fence_ == nullptr ? absl::OkStatus() : fence_->Check(); },
             .on_fatal =
                 [this](const Status& status) {
                   MutexLock lock(mutex_);
                   fatal_ = status;
                 },
             .why_given_up =
                 [this](const std::string& job) {
                   return note_->was_killed() ? note_->CountDeath(job) : absl::OkStatus();
                 }}));
    return absl::OkStatus();
  }

  Status StartExecutors(const KernelChoice& kernels) override {
    DL_RETURN_IF_ERROR(CheckComputesHere(kernels));
    Answer();
    if (const Status noted = note_->Begin(); !noted.ok())
      LogWarning("a kill of this process will not be noticed: ", DescribeError(noted));
    executor_started_ = true;
    DL_ASSIGN_OR_RETURN(executor::CoreOptions core,
                        MakeExecutorOptions({.isa = kernels.isa, .slots = slots_}));
    // Only now, because a prediction for an older job must not select the instruction set of this
    // process.
    DL_RETURN_IF_ERROR(ShowPages());
    core.unit_memory_bytes = unit_memory_;
    core.can_restart = false;
    exchange_ = std::make_unique<SharedMemoryExchange>(master_->gateway());
    executor_ = std::make_unique<executor::Executor>(executor::ExecutorOptions{
        .core = std::move(core), .master = &master_->gateway(), .exchange = exchange_.get()});
    return absl::OkStatus();
  }

  rpc::ClientService& client() override { return master_->gateway(); }
  std::string page() const override { return page_; }
  Status Health() override {
    throttle_.WarnIfThrottled();
    MutexLock lock(mutex_);
    return fatal_;
  }

 private:
  // Answers other commands about the job while this process holds the folder. If that is not
  // possible, this process still computes.
  void Answer() {
    auto server = rpc::Server::Listen({.tls = keys_, .version = kVersion});
    if (!server.ok()) {
      LogWarning("other commands cannot ask this one: ", DescribeError(server.status()));
      return;
    }
    server_ = *std::move(server);
    entry_.emplace(server_->port(), data_dir_);
    server_->Serve({.clients = &master_->gateway(),
                    .admins = security_.get(),
                    .tokens = &security_->tokens(),
                    .audit = &security_->audit()});
    const Status announced = folder_->Announce(
        {.on_its_machine = rpc::ToString(server_->LocalEndpoint()), .on_other_machines = ""});
    is_announced_ = announced.ok();
    if (!announced.ok())
      LogWarning("other commands cannot ask this one: ", DescribeError(announced));
  }

  // Prepares for files that clients send. The process that imports them must find this one.
  Status TakeFiles(const std::string& data_dir) {
    if (!is_announced_) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(std::string program, DlSubmitProgram(program_));
    DL_ASSIGN_OR_RETURN(imports_, FileImports::Open({.program = std::move(program),
                                                     .data_dir = data_dir,
                                                     .max_file_bytes = kUploadBytes}));
    return absl::OkStatus();
  }

  Status ShowPages() {
    if (!http_port_) return absl::OkStatus();
    const bool read_only = full_disk_ == master::MasterOptions::FullDisk::kRead;
    std::error_code ignored;
    const std::string data_dir = std::filesystem::absolute(data_dir_, ignored).string();
    DL_ASSIGN_OR_RETURN(pages_, web::WebServer::Listen({.port = *http_port_,
                                                        .version = kVersion,
                                                        .read_only = read_only,
                                                        .data_dir = data_dir}));
    if (!read_only) DL_RETURN_IF_ERROR(TakeFiles(data_dir));
    pages_->Serve({.clients = &master_->gateway(),
                   .tokens = security_ == nullptr ? nullptr : &security_->tokens(),
                   .audit = security_ == nullptr ? nullptr : &security_->audit(),
                   .models = models_,
                   .imports = imports_.get()});
    DL_ASSIGN_OR_RETURN(page_, pages_->LoginUrl(OwnIdentity()));
    return absl::OkStatus();
  }

  int32_t slots_ = 1;
  std::optional<int> http_port_;
  web::ModelService* models_ = nullptr;
  std::string page_;
  master::MasterOptions::FullDisk full_disk_ = master::MasterOptions::FullDisk::kRefuse;
  int64_t unit_memory_ = 0;
  std::optional<DataFolder> folder_;    // before the master: held until its stores are closed
  std::unique_ptr<FolderFence> fence_;  // also before the master
  Mutex mutex_;
  Status fatal_ DL_GUARDED_BY(mutex_);
  std::unique_ptr<master::Master> master_;
  std::string data_dir_;
  std::string program_;  // of dl-submit; empty: the one next to this program
  bool is_announced_ = false;
  std::optional<ComputationMarker> note_;
  bool executor_started_ = false;
  MemoryThrottle throttle_;
  std::optional<security::MasterTls> keys_;
  std::unique_ptr<MasterSecurity> security_;
  std::optional<MasterEntry> entry_;
  std::unique_ptr<rpc::Server> server_;    // for other commands; may be null
  std::unique_ptr<FileImports> imports_;   // may be null
  std::unique_ptr<web::WebServer> pages_;  // may be null
  std::unique_ptr<SharedMemoryExchange> exchange_;
  std::unique_ptr<executor::Executor> executor_;  // last member, so that it is destroyed first
};

}  // namespace

StatusOr<std::unique_ptr<Cluster>> OpenLocal(const ClusterOptions& options) {
  auto cluster = std::make_unique<LocalCluster>();
  DL_RETURN_IF_ERROR(cluster->Open(options));
  return cluster;
}

}  // namespace dl::launch
