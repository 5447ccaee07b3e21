#include "launch/daemons/daemon.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/exit_status.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/log_thread.h"
#include "base/machine_memory.h"
#include "base/mutex.h"
#include "base/system_error.h"
#include "executor/executor.h"
#include "launch/clusters/executor_identity.h"
#include "launch/clusters/started_processes.h"
#include "launch/clusters/target.h"
#include "launch/daemons/advertised.h"
#include "launch/daemons/daemon_status.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/executor_folder.h"
#include "launch/daemons/folder_fence.h"
#include "launch/daemons/local_master_registry.h"
#include "launch/daemons/ready_reporter.h"
#include "launch/daemons/service_notices.h"
#include "launch/import/file_imports.h"
#include "launch/process_setup.h"
#include "launch/stop_signal.h"
#include "launch/user.h"
#include "launch/version.h"
#include "master/master.h"
#include "nn/conf/contract_id.h"
#include "rpc/client.h"
#include "rpc/endpoint.h"
#include "rpc/server.h"
#include "storage/block_cache.h"
#include "web/web_server.h"

namespace dl::launch {
namespace {

bool DropUnsynced() {
  const char* env = std::getenv("DL_TEST_DROP_UNSYNCED");
  return env != nullptr && std::string_view(env) == "1";
}

// The master's request to restart this process. It ends the wait for a stop. Thread-safe.
class RestartRequest {
 public:
  explicit RestartRequest(StopSignal& stop) : stop_(stop) {}
  void Ask(const std::string& why) {
    {
      MutexLock lock(mutex_);
      why_ = why.empty() ? "it says no reason" : why;
    }
    stop_.Raise();
  }
  std::string why() const {  // empty: no request
    MutexLock lock(mutex_);
    return why_;
  }

 private:
  StopSignal& stop_;
  mutable Mutex mutex_;
  std::string why_ DL_GUARDED_BY(mutex_);
};

// Waits until running units are delivered. Ends early at a second signal, at the deadline, or if
// the master requests a restart because of a stall.
void Drain(executor::Executor& executor, const StopSignal& stop,
           const RestartRequest& restart_request, Duration limit) {
  constexpr Duration kPollInterval = std::chrono::milliseconds(50);
  if (limit <= Duration::zero()) return LogInfo("leaving");
  LogInfo("leaving when the running work is done, at most ", Seconds(limit),
          " s; a second signal ends it at once");
  executor.Drain();
  const Instant deadline = Clock::Real().Now() + limit;
  while (stop.signals() < 2 && restart_request.why().empty() && Clock::Real().Now() < deadline) {
    if (executor.WaitUntilLeft(kPollInterval)) return;
  }
  LogWarning("leaving before all work is done");
}

// Warns if the limit is too high, because the kernel would then kill the process during its work.
void WarnOfTooMuchMemory(int64_t wanted) {
  const AvailableMemory memory = FindAvailableMemory();
  if (wanted <= memory.bytes) return;
  LogWarning("--memory ", wanted >> 20, "M is more than the ", memory.bytes >> 20,
             " MiB that this process may use", memory.limit.empty() ? "" : " because of ",
             memory.limit, ": it may be killed; give it less");
}

// Returns MasterStatusLine for the 100 newest jobs, or "" if the master does not answer.
std::string StatusOfMaster(rpc::ClientService& master) {
  const auto ask = [&](const rpc::QueryRequest& request) -> StatusOr<Json> {
    DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply,
                        master.Query(request, limits::kControlDeadline));
    return ParseJson(reply.json, "the answer");
  };
  constexpr int64_t kAcceptedAgeMs = 5000;
  const auto cluster = ask({.what = rpc::QueryKind::kCluster, .max_age_ms = kAcceptedAgeMs});
  const auto jobs =
      ask({.what = rpc::QueryKind::kJobs, .max_age_ms = kAcceptedAgeMs, .last = INT64_MAX});
  return cluster.ok() && jobs.ok() ? MasterStatusLine(*cluster, *jobs) : "";
}

}  // namespace

int64_t DefaultMasterMemory() { return std::min(int64_t{8} << 30, AvailableMemoryBytes() / 4 * 3); }

Status RunMasterDaemon(const MasterDaemonOptions& options) {
  SetLogName("master");
  const LogThread log_thread;
  StopSignal stop;
  Mutex mutex;
  Status fatal;
  master::MasterOptions settings{.data_dir = options.data_dir,
                                 .accept_loss = options.accept_loss,
                                 .drop_unsynced_on_kill = DropUnsynced(),
                                 .on_fatal = [&](const Status& status) {
                                   MutexLock lock(mutex);
                                   fatal = status;
                                   stop.Raise();
                                 }};
  settings.core.memory_bytes =
      options.memory_bytes > 0 ? options.memory_bytes : DefaultMasterMemory();
  WarnOfTooMuchMemory(settings.core.memory_bytes);
  settings.core.staging_bytes = options.staging_bytes.value_or(settings.core.memory_bytes / 16);
  settings.core.contract_grace = limits::kContractGrace;
  settings.core.is_known_contract = nn::IsKnownContract;
  settings.core.max_running_jobs = options.max_running_jobs;
  settings.core.others_may_join = !options.no_other_executors;
  // Machines of executors that join later have limits of their own.
  if (options.no_other_executors) settings.core.memory_limit = FindAvailableMemory().limit;
  settings.core.only_unit_memory = DivideMemory(options.executor_memory_bytes).units;
  settings.kept = {.jobs = options.keep_jobs,
                   .time = options.keep_for,
                   .uploads = options.keep_uploads.value_or(master::kUploadsKept)};
  std::unique_ptr<FolderFence> fence;        // outlives the master
  std::unique_ptr<master::Master> master;    // outlives the server
  std::unique_ptr<MasterSecurity> security;  // also outlives the server
  DL_ASSIGN_OR_RETURN(const std::optional<security::MasterTls> keys,
                      KeysFor(options.data_dir, options.site_keys));
  // The port is opened first. If it is in use, nothing else has been changed.
  DL_ASSIGN_OR_RETURN(
      std::unique_ptr<rpc::Server> server,
      rpc::Server::Listen(
          {.tls = keys, .address = options.address, .port = options.port, .version = kVersion}));
  DL_ASSIGN_OR_RETURN(
      const rpc::Endpoint advertised,
      AdvertisedEndpoint(options.advertise, {options.address, server->port()}, keys));
  std::unique_ptr<FileImports> imports;  // outlives the pages
  std::unique_ptr<web::WebServer> pages;
  if (options.http_port) {
    DL_ASSIGN_OR_RETURN(pages, web::WebServer::Listen({.tls = keys,
                                                       .address = options.address,
                                                       .port = *options.http_port,
                                                       .host_names = {HostName(), advertised.host},
                                                       .shown_host = advertised.host,
                                                       .version = kVersion,
                                                       .master_url = rpc::ToString(advertised)}));
  }
  DL_ASSIGN_OR_RETURN(DataFolder folder, DataFolder::Open(options.data_dir));
  DL_ASSIGN_OR_RETURN(
      fence, FolderFence::Take({.data_dir = options.data_dir, .on_lost = [](const Status& status) {
                                  LogError(DescribeError(status));
                                  FlushLog();
                                  // An orderly shutdown would write into the folder.
                                  _exit(exit_status::kInputOutput);
                                }}));
  settings.may_write = [&fence] { return fence->Check(); };
  DL_ASSIGN_OR_RETURN(security, MasterSecurity::Open(options.data_dir, keys));
  // The master needs space to open its stores.
  DL_RETURN_IF_ERROR(DeleteReceivedFiles(options.data_dir));
  DL_ASSIGN_OR_RETURN(master, master::Master::Open(settings));
  const MasterEntry entry(server->port(), options.data_dir);
  server->Serve({.executors = &master->gateway(),
                 .clients = &master->gateway(),
                 .admins = security.get(),
                 .tokens = &security->tokens(),
                 .audit = &security->audit()});
  std::string page;
  if (pages != nullptr && options.max_upload_bytes != 0) {
    DL_ASSIGN_OR_RETURN(std::string program, DlSubmitProgram(""));
    DL_ASSIGN_OR_RETURN(imports, FileImports::Open({.program = std::move(program),
                                                    .data_dir = options.data_dir,
                                                    .max_file_bytes = options.max_upload_bytes}));
  }
  if (pages != nullptr) {
    pages->Serve({.clients = &master->gateway(),
                  .tokens = &security->tokens(),
                  .audit = &security->audit(),
                  .models = options.models,
                  .imports = imports.get()});
    DL_ASSIGN_OR_RETURN(page, pages->LoginUrl(OwnIdentity()));
  }
  const bool is_reached = !rpc::IsLoopback(advertised.host);
  DL_RETURN_IF_ERROR(
      folder.Announce({.on_its_machine = rpc::ToString(server->LocalEndpoint()),
                       .on_other_machines = is_reached ? rpc::ToString(advertised) : ""}));
  // Logged before the ready line, so that the reader of that line finds it in the log.
  LogInfo("listening on ", options.address, " port ", server->port(), ", reached at ",
          rpc::ToString(advertised), ", state in ", options.data_dir);
  Json ready = {{"type", "ready"},
                {"role", "master"},
                {"port", server->port()},
                {"url", rpc::ToString(advertised)},
                {"version", kVersion}};
  if (!page.empty()) ready["page"] = page;
  DL_RETURN_IF_ERROR(PrintLine(ready));
  const ServiceNotices notices;
  notices.Ready("listens on " + rpc::ToString(advertised));
  // Reports that the daemon works while its core answers, or waits for the disk. A restart would
  // not mend a disk that hangs.
  std::optional<ServiceWatchdog> watchdog;
  watchdog.emplace([&] { return master->gateway().Works(limits::kControlDeadline); });
  std::optional<ServiceStatus> status;
  status.emplace([&] {
    const std::string line = StatusOfMaster(master->gateway());
    return line.empty() ? "" : absl::StrCat(rpc::ToString(advertised), ": ", line);
  });
  const auto failure = [&] {
    MutexLock lock(mutex);
    return fatal;
  };
  stop.Wait();
  status.reset();
  notices.Stopping();
  // Later work would not be durable, so the process ends at once with the first failure.
  DL_RETURN_IF_ERROR(failure());
  LogInfo("stopping: writing last checkpoints");
  master->Shutdown(limits::kShutdownTimeout);
  server->Stop();
  if (pages != nullptr) pages->Stop();
  if (imports != nullptr) imports->Stop();
  watchdog.reset();
  master.reset();  // all failures have been reported when it is destroyed
  return failure();
}

Status RunExecutorDaemon(const ExecutorDaemonOptions& options) {
  SetLogName("executor");
  const LogThread log_thread;
  StopSignal stop;
  DL_ASSIGN_OR_RETURN(Target target, ParseTarget(options.master));
  if (!target.is_standing()) {
    return InvalidArgument({.message = "an executor joins a standing master",
                            .where = "--master",
                            .remedy = "Use --master dl://host:port"});
  }
  DL_ASSIGN_OR_RETURN(executor::CoreOptions core,
                      MakeExecutorOptions({options.name, options.isa, options.slots}));
  core.labels = options.labels;
  DL_ASSIGN_OR_RETURN(const ExecutorFolder folder,
                      OpenExecutorFolder({.cache_dir = options.cache_dir,
                                          .state_dir = options.state_dir,
                                          .cache_bytes = options.cache_bytes}));
  if (folder.crash_note != nullptr) core.crashed = folder.crash_note->left();
  for (const rpc::CrashedUnit& crashed : core.crashed) {
    LogWarning("the last process here was ended by ", crashed.signal, " while it computed ",
               ToString(crashed.unit));
  }
  DL_ASSIGN_OR_RETURN(std::unique_ptr<rpc::Client> master,
                      ConnectAs(options.credentials, {target.host(), target.port()}, "executor"));
  std::vector<std::string> contracts;
  for (const rpc::OfferedContract& offered : core.contracts) contracts.push_back(offered.contract);
  LogInfo("executor ", core.name, " with ", core.slots, " slots, contracts ",
          absl::StrJoin(contracts, " and "), ", master ", options.master, ", ",
          folder.cache == nullptr ? "no cache" : "cache in " + folder.path);
  const MemoryShares memory =
      DivideMemory(options.memory_bytes > 0 ? options.memory_bytes : AvailableMemoryBytes() / 2);
  WarnOfTooMuchMemory(options.memory_bytes);
  core.unit_memory_bytes = memory.units;
  core.result_bytes = memory.results / 2;
  RestartRequest restart_request(stop);
  ReadyReporter presence(
      {{"executor", core.name}, {"kernel_contracts", contracts}}, options.master,
      options.events ? ReadyReporter::Events::kAll : ReadyReporter::Events::kReady, stop);
  const ServiceNotices notices;
  // A service manager does not start a service again that was denied. No person waits for the
  // error.
  if (notices.has_receiver()) core.first_denied_timeout = limits::kDeniedTimeout;
  RunningUnits units;
  executor::Executor executor(
      {.core = std::move(core),
       .on_joined =
           [&] {
             presence.Joined();
             notices.Ready("registered at " + options.master);
           },
       .on_waiting =
           [&](const Status& why) {
             presence.Waiting(why);
             // The service is ready: it joins when the master is available.
             notices.Ready("waits for " + options.master);
           },
       .on_refused = [&](const Status& why) { presence.Refused(why); },
       .on_restart = [&](const std::string& why) { restart_request.Ask(why); },
       .on_left = [&] { stop.Raise(); },
       .on_progress = [&](const std::vector<rpc::UnitProgress>& running) { units.Update(running); },
       .on_began = [&](int32_t slot, const rpc::Lease& lease) { units.Begin(slot, lease.unit); },
       .on_ended = [&](int32_t slot) { units.End(slot); },
       .master = master.get(),
       .block_cache = folder.cache,
       .crash_note = folder.crash_note.get(),
       .part_cache_bytes = memory.states,
       .block_memory_bytes = memory.blocks,
       .held = {.memory_bytes = memory.results / 2, .folder = folder.path}});
  // Reports that the daemon works while its core answers.
  const ServiceWatchdog watchdog([&] {
    (void)executor.WaitUntilLeft(Duration::zero());
    return true;
  });
  std::optional<ServiceStatus> status;
  status.emplace([&] {
    const std::string line = units.Line();
    return line.empty() ? "" : absl::StrCat(options.master, ": ", line);
  });
  stop.Wait();
  status.reset();
  const Status failure = presence.failure();
  const std::string why = stop.signals() > 0 || !failure.ok() ? "" : restart_request.why();
  if (why.empty()) notices.Stopping();
  if (why.empty() && failure.ok()) {
    Drain(executor, stop, restart_request, std::chrono::seconds(options.drain_seconds));
  } else if (failure.ok()) {
    LogWarning("restarting, ", why);
  }
  executor.Leave(limits::kGoodbyeTimeout);
  if (!why.empty()) {
    FlushLog();
    const Status failed = ReexecProcess();
    LogError("cannot restart: ", DescribeError(failed));
    FlushLog();
    _exit(exit_status::kInputOutput);
  }
  master->Close();
  if (!executor.CancelUnits(limits::kGoodbyeTimeout)) {
    LogWarning("a unit does not end: leaving without its result");
    if (!failure.ok()) LogError(DescribeError(failure));
    FlushLog();
    _exit(failure.ok() ? exit_status::kSuccess : exit_status::kInputOutput);
  }
  return failure;
}

}  // namespace dl::launch
