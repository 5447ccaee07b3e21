#include "cli/clusters/machines.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "cli/clusters/hosts_file.h"
#include "cli/clusters/joined_master.h"
#include "cli/clusters/lock_probe.h"
#include "cli/command_session.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "cli/output/error_report.h"
#include "cli/output/json_fields.h"
#include "launch/daemons/daemons.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/state_dir.h"

namespace dl::cli {
namespace {

// Returns the kernel contracts of an executor's line.
std::string ContractsOf(const Json& line) {
  const Json* const contracts = Member(line, "kernel_contracts");
  std::vector<std::string> texts;
  for (const Json& contract : contracts == nullptr ? Json::array() : *contracts) {
    if (contract.is_string()) texts.push_back(contract.get<std::string>());
  }
  return absl::StrJoin(texts, " and ");
}

constexpr int64_t kMaxHostsFile = 1 << 20;

// The state of one machine.
struct Finding {
  std::string state;
  std::string description;  // text for users, after "ok"
  Status error;
};

bool IsOk(const Finding& finding) { return finding.error.ok(); }

// Prints a line for each machine as results arrive. Thread-safe.
class Findings {
 public:
  Findings(const std::vector<HostEntry>& hosts, bool json, Context& context)
      : json_(json), context_(context) {
    for (const HostEntry& each : hosts) width_ = std::max(width_, each.host.size());
  }

  void Add(const std::string& host, const std::string& executor, const Finding& finding) {
    MutexLock lock(mutex_);
    if (!IsOk(finding)) failed_ = true;
    if (json_) {
      Json line = {{"host", host}, {"executor", executor}, {"state", finding.state}};
      if (!finding.error.ok()) line["error"] = ErrorResult(finding.error, "").at("error");
      context_.out << JsonText(line) << std::endl;
      return;
    }
    const std::string machine =
        absl::StrFormat("%-*s  ", static_cast<int>(width_), host.empty() ? executor : host);
    if (finding.error.ok()) {
      context_.out << machine << "ok  " << finding.description << std::endl;
      return;
    }
    context_.out << machine << "✗   " << finding.error.message() << "\n";
    const std::string margin(machine.size() + 4, ' ');
    if (const std::string where = ErrorWhere(finding.error); !where.empty() && where != host)
      context_.out << margin << "at: " << where << "\n";
    if (const std::string remedy = ErrorRemedy(finding.error); !remedy.empty())
      context_.out << margin << "try: " << remedy << "\n";
    context_.out << std::flush;
  }

  int ExitCode() const {
    MutexLock lock(mutex_);
    return failed_ ? kFailed : kSuccess;
  }

 private:
  const bool json_;
  Context& context_;
  size_t width_ = sizeof("master") - 1;
  mutable Mutex mutex_;
  bool failed_ DL_GUARDED_BY(mutex_) = false;
};

// Calls `visit` for all hosts, for `at_once` of them in parallel.
void ForEachHost(const std::vector<HostEntry>& hosts, int at_once,
                 const std::function<void(const HostEntry&)>& visit) {
  Mutex mutex;
  size_t next = 0;
  const auto work = [&] {
    for (;;) {
      size_t mine = 0;
      {
        MutexLock lock(mutex);
        mine = next++;
      }
      if (mine >= hosts.size()) return;
      visit(hosts[mine]);
    }
  };
  std::vector<Thread> threads;
  const size_t count = std::min(hosts.size(), static_cast<size_t>(at_once));
  for (size_t i = 0; i < count; ++i) threads.emplace_back("host", work);
}

std::string RememberedHosts(const std::string& state_dir) { return state_dir + "/hosts"; }

struct Hosts {
  std::string text;
  std::vector<HostEntry> entries;
};

StatusOr<Hosts> ReadHosts(const std::string& path) {
  Hosts hosts;
  DL_ASSIGN_OR_RETURN(hosts.text, ReadFile(path, kMaxHostsFile));
  auto entries = ParseHostsFile(hosts.text, path);
  if (!entries.ok()) return WithExitCode(entries.status(), kInvalidConfig);
  hosts.entries = *std::move(entries);
  return hosts;
}

// Returns the machines of the flag, else those of the last start; nullopt if there was none.
StatusOr<std::optional<Hosts>> KnownHosts(const MachinesOptions& options,
                                          const std::string& state_dir) {
  auto hosts = ReadHosts(options.hosts.empty() ? RememberedHosts(state_dir) : options.hosts);
  if (options.hosts.empty() && ExitCodeFor(hosts.status()) == kNotFound) return std::nullopt;
  DL_RETURN_IF_ERROR(hosts.status());
  return *std::move(hosts);
}

Finding StartExecutor(const MachinesOptions& options, const JoinedMaster& master,
                      const HostEntry& host) {
  std::vector<std::string> words = {"executor",     "--detach", "--json", "--master", master.url,
                                    "--token-file", "-",        "--name", host.name};
  words.insert(words.end(), host.flags.begin(), host.flags.end());
  const auto said = RunOverSshForObjects(options.ssh, host.host, words, master.token + "\n");
  if (!said.ok()) return {.state = "failed", .error = said.status()};
  if (said->empty()) {
    return {
        .state = "failed",
        .error = Unavailable({.message = absl::StrCat(options.ssh.program, " printed no output"),
                              .where = host.host})};
  }
  const Json& line = said->back();
  const std::string process = absl::StrCat("process ", IntegerAt(line, "pid"));
  if (TextAt(line, "type") == "ready") {
    return {.state = "ready",
            .description = absl::StrCat(FlagAt(line, "already") ? "runs already, " : "", process,
                                        ", ", ContractsOf(line))};
  }
  const Json* error = Member(line, "error");
  const std::string why = error == nullptr ? "" : TextAt(*error, "message");
  return {.state = "waiting",
          .error = Unavailable(
              {.message = absl::StrCat("it runs, ", process, ", and has not joined ", master.url,
                                       why.empty() ? "" : ": ", why),
               .where = TextAt(line, "log"),
               .remedy = error == nullptr ? "Read its log" : TextAt(*error, "remedy")})};
}

// Returns the state that `daemons --json` reported for the executor.
Finding FindingOf(const Json* daemon) {
  if (daemon == nullptr) {
    return {.state = "not_running",
            .error = Unavailable({.message = "no executor has been started there",
                                  .remedy = "dl-submit cluster start"})};
  }
  const Json* said = Member(*daemon, "said");
  const Json* error = said == nullptr ? nullptr : Member(*said, "error");
  const std::string why = error == nullptr ? "" : TextAt(*error, "message");
  const std::string remedy = error == nullptr ? "" : TextAt(*error, "remedy");
  const int64_t pid = IntegerAt(*daemon, "pid");
  const bool thinks_so = said != nullptr && TextAt(*said, "type") == "ready";
  const std::string message =
      pid == 0    ? "its executor has ended"
      : thinks_so ? absl::StrCat("it runs, process ", pid, ", but the master does not list it")
                  : absl::StrCat("it runs, process ", pid, ", and waits");
  return {.state = pid == 0 ? "ended" : "waiting",
          .error = Unavailable({.message = absl::StrCat(message, why.empty() ? "" : ": ", why),
                                .where = TextAt(*daemon, "log"),
                                .remedy = !remedy.empty() ? remedy
                                          : pid == 0      ? "Read its log, then: dl-submit "
                                                            "cluster start"
                                                          : "Read its log"})};
}

Finding FindingOverSsh(const MachinesOptions& options, const HostEntry& host) {
  const auto daemons = RunOverSshForObjects(options.ssh, host.host, {"daemons", "--json"}, "");
  if (!daemons.ok()) return {.state = "failed", .error = daemons.status()};
  const auto found = std::ranges::find_if(
      *daemons, [&](const Json& daemon) { return TextAt(daemon, "daemon") == host.name; });
  return FindingOf(found == daemons->end() ? nullptr : &*found);
}

Finding FindingOfJoined(const Json& executor) {
  const std::string slots = absl::StrCat(IntegerAt(executor, "slots"));
  return {.state = "joined",
          .description =
              absl::StrCat(slots, slots == "1" ? " slot" : " slots", ", heard ",
                           absl::StrFormat("%.1f", NumberAt(executor, "seconds_since_heartbeat")),
                           " s ago", FlagAt(executor, "draining") ? ", leaves" : "",
                           FlagAt(executor, "quarantined") ? ", quarantined" : "")};
}

}  // namespace

StatusOr<int> StartMachines(const MachinesOptions& options, const Settings& settings,
                            Context& context) {
  if (options.hosts.empty()) {
    return UsageError({.message = "no machines are named",
                       .where = "--hosts",
                       .remedy = "Give --hosts FILE with one line per machine: node1 slots=4"});
  }
  DL_ASSIGN_OR_RETURN(const Hosts hosts, ReadHosts(options.hosts));
  DL_ASSIGN_OR_RETURN(const std::string state_dir, launch::StateDir(settings.data_dir.value));
  DL_ASSIGN_OR_RETURN(const JoinedMaster master,
                      FindOrStartMaster(settings, options.address, options.port));
  Findings findings(hosts.entries, options.json, context);
  if (master.is_on_this_machine)
    findings.Add("master", "", {.state = "ready", .description = master.description});
  DL_RETURN_IF_ERROR(CreateSecretFolder(state_dir));
  DL_RETURN_IF_ERROR(AtomicWriteFile(RememberedHosts(state_dir), hosts.text));
  ForEachHost(hosts.entries, limits::kHostsAtOnce, [&](const HostEntry& host) {
    findings.Add(host.host, host.name, StartExecutor(options, master, host));
  });
  return findings.ExitCode();
}

StatusOr<int> StopMachines(const MachinesOptions& options, const Settings& settings,
                           Context& context) {
  DL_ASSIGN_OR_RETURN(const std::string state_dir, launch::StateDir(settings.data_dir.value));
  DL_ASSIGN_OR_RETURN(const std::optional<Hosts> hosts, KnownHosts(options, state_dir));
  if (!hosts) {
    return NotFound(
        {.message = "cluster start has not started anything from this data folder",
         .where = state_dir,
         .remedy = "Name the machines with --hosts FILE, or another data folder with --data-dir"});
  }
  Findings findings(hosts->entries, options.json, context);
  ForEachHost(hosts->entries, limits::kHostsAtOnce, [&](const HostEntry& host) {
    const Status stopped =
        RunOverSshForObjects(options.ssh, host.host, {"daemons", "stop", host.name, "--json"}, "")
            .status();
    if (ExitCodeFor(stopped) == kNotFound) {
      findings.Add(host.host, host.name, {.state = "not_running", .description = "did not run"});
    } else {
      findings.Add(
          host.host, host.name,
          {.state = stopped.ok() ? "ended" : "failed", .description = "stopped", .error = stopped});
    }
  });
  if (IsStanding(settings.master)) return findings.ExitCode();
  // The master is stopped last, so that executors can deliver results to it.
  const Status stopped =
      launch::Daemons(state_dir).Stop(launch::kMasterDaemon, limits::kStopDaemonTimeout);
  const auto holder = launch::DataFolder::Holder(state_dir);
  if (!absl::IsNotFound(stopped)) {
    findings.Add(
        "master", "",
        {.state = stopped.ok() ? "ended" : "failed", .description = "stopped", .error = stopped});
  } else if (holder) {
    findings.Add("master", "",
                 {.state = "ready",
                  .description = absl::StrCat("runs on, process ", holder->pid,
                                              ": cluster start did not start it")});
  }
  return findings.ExitCode();
}

StatusOr<int> ShowMachines(const MachinesOptions& options, const Settings& settings,
                           Context& context) {
  DL_ASSIGN_OR_RETURN(const std::string state_dir, launch::StateDir(settings.data_dir.value));
  DL_ASSIGN_OR_RETURN(const std::optional<Hosts> hosts, KnownHosts(options, state_dir));
  const std::vector<HostEntry> entries = hosts ? hosts->entries : std::vector<HostEntry>();
  Findings findings(entries, options.json, context);
  std::map<std::string, Json> joined;
  std::string url;
  const Status master = [&]() -> Status {
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToQuery));
    if (!session.is_remote()) {
      return Unavailable({.message = "no master runs in the data folder",
                          .where = state_dir,
                          .remedy = "dl-submit cluster start --hosts FILE"});
    }
    url = session.target.ToString();
    DL_ASSIGN_OR_RETURN(const Json cluster, QueryJson(session.client(), rpc::QueryKind::kCluster));
    if (const Json* executors = Member(cluster, "executors")) {
      for (const Json& executor : *executors) joined[TextAt(executor, "executor")] = executor;
    }
    return absl::OkStatus();
  }();
  findings.Add("master", "",
               {.state = master.ok() ? "ready" : "failed", .description = url, .error = master});
  ForEachHost(entries, limits::kHostsAtOnce, [&](const HostEntry& host) {
    const auto found = joined.find(host.name);
    findings.Add(
        host.host, host.name,
        found == joined.end() ? FindingOverSsh(options, host) : FindingOfJoined(found->second));
  });
  for (const HostEntry& host : entries) joined.erase(host.name);
  for (const auto& [name, executor] : joined) findings.Add("", name, FindingOfJoined(executor));
  return findings.ExitCode();
}

Status DoctorOnMachines(
    const MachinesOptions& options, const Settings& settings,
    const std::function<void(const std::string& host, const std::vector<Check>& checks)>& found) {
  DL_ASSIGN_OR_RETURN(const Hosts hosts, ReadHosts(options.hosts));
  DL_ASSIGN_OR_RETURN(const std::optional<JoinedMaster> master,
                      FindMaster(settings, options.address));
  std::vector<std::string> words = {"doctor", "--json"};
  DL_ASSIGN_OR_RETURN(const std::string data_dir, launch::StateDir(settings.data_dir.value));
  std::error_code error;
  std::optional<LockProbe> probe;
  if (std::filesystem::exists(data_dir, error)) {
    auto locked = LockProbe::Create(data_dir);
    if (locked.ok()) {
      probe.emplace(*std::move(locked));
      words.insert(words.end(), {"--lock-probe", probe->path()});
    } else {
      found("", {Failed("lock", locked.status())});
    }
  }
  if (master) words.insert(words.end(), {"--master", master->url, "--token-file", "-"});
  // Hosts are checked one at a time, because the link of a single host is measured.
  ForEachHost(hosts.entries, 1, [&](const HostEntry& host) {
    const auto answer =
        RunOverSsh(options.ssh, host.host, words, master ? master->token + "\n" : "");
    std::vector<Check> checks;
    if (answer.ok()) {
      for (const Json& line : answer->objects) {
        if (line.contains("check")) checks.push_back(CheckFromJson(line));
      }
    }
    // If some checks failed, their results say so. Other errors are reported here.
    if (!answer.ok()) {
      checks = {Failed("ssh", answer.status())};
    } else if (checks.empty()) {
      checks = {Failed("doctor", answer->error())};
    }
    found(host.host, checks);
  });
  return absl::OkStatus();
}

}  // namespace dl::cli
