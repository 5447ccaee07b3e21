#include "launch/daemons/daemons.h"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 declares these functions without C linkage
}

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/own_program.h"
#include "base/system_error.h"
#include "launch/daemons/boot_id.h"
#include "launch/daemons/data_folder.h"
#include "launch/host_name.h"
#include "launch/pause.h"
#include "launch/process_setup.h"
#include "rpc/executor_name.h"
#include "security/secret_file.h"

namespace dl::launch {
namespace {

constexpr Duration kDaemonPollInterval = std::chrono::milliseconds(20);
constexpr int64_t kMaxOutputLine = 4 << 20;

std::string ProcessFile(const std::string& folder) { return folder + "/process.json"; }
std::string OutputFile(const std::string& folder) { return folder + "/said"; }
std::string TokenFile(const std::string& folder) { return folder + "/token"; }
std::string LogFile(const std::string& folder) { return folder + "/log"; }

// Returns the start time of a process, 0 if it does not run. Together with the process id and the
// start of the machine, it identifies the process. It stays the same when the process executes
// itself again.
int64_t BirthOf(int64_t pid) {
  // The text is "71 (dl-submit) S 70 ...". The start time is field 22, the twentieth after the
  // name. The name may contain any character.
  const auto stat = ReadFile(absl::StrCat("/proc/", pid, "/stat"), limits::kMaxHolderBytes);
  if (!stat.ok() || stat->rfind(')') == std::string::npos) return 0;
  const std::vector<std::string> fields =
      absl::StrSplit(stat->substr(stat->rfind(')') + 1), ' ', absl::SkipEmpty());
  int64_t birth = 0;
  constexpr size_t kStartTime = 19;
  const bool alive = fields.size() > kStartTime && fields[0] != "Z" && fields[0] != "X";
  return alive && absl::SimpleAtoi(fields[kStartTime], &birth) ? birth : 0;
}

std::string LastLine(const std::string& path) {
  const auto text = ReadFile(path, kMaxOutputLine);
  if (!text.ok()) return "";
  // A line that is still being written does not count.
  const size_t end = text->rfind('\n');
  if (end == std::string::npos) return "";
  const size_t begin = end == 0 ? std::string::npos : text->rfind('\n', end - 1);
  return text->substr(begin == std::string::npos ? 0 : begin + 1,
                      end - (begin == std::string::npos ? 0 : begin + 1));
}

// Returns whether the last line is the ready line. An empty line, a `waiting` line and an error are
// not.
bool IsReady(const std::string& last_line) {
  const auto line = ParseJson(last_line, "what a daemon said");
  return line.ok() && line->is_object() && line->value("type", "") == "ready";
}

// Limit for waiting until a daemon is ready. Waits up to kReadyTimeout for the first line, because
// a start may take long on a busy machine or with a large store. After the first line, waits
// `limit`.
class StartDeadline {
 public:
  explicit StartDeadline(Duration limit)
      : limit_(limit), end_(Clock::Real().Now() + limits::kReadyTimeout) {}
  bool IsOver(const Daemon& daemon) {
    const Instant now = Clock::Real().Now();
    if (!daemon.last_line.empty() && !heard_) end_ = now + limit_;
    heard_ = heard_ || !daemon.last_line.empty();
    return now >= end_;
  }

 private:
  Duration limit_;
  Instant end_;
  bool heard_ = false;
};

}  // namespace

Daemons::Daemons(const std::string& state_dir)
    : folder_(absl::StrCat(state_dir, "/daemons/", HostName())) {}

Daemon Daemons::Find(const std::string& name) const {
  const std::string folder = FolderOf(name);
  Daemon daemon{.name = name, .log = LogFile(folder), .last_line = LastLine(OutputFile(folder))};
  const auto text = ReadFile(ProcessFile(folder), limits::kMaxHolderBytes);
  const auto json = text.ok() ? ParseJson(*text, ProcessFile(folder)) : text.status();
  if (!json.ok()) return daemon;
  JsonObjectReader reader(*json, "");
  int64_t pid = 0, birth = 0;
  std::string machine;
  reader.Int("pid", pid);
  reader.Int("birth", birth);
  reader.String("machine_start", machine);
  reader.String("command", daemon.command);
  if (!reader.Finish().ok() || birth == 0) return daemon;
  if (machine == MachineBootId() && BirthOf(pid) == birth) daemon.pid = pid;
  return daemon;
}

StatusOr<Daemons::Started> Daemons::Start(const std::string& name, std::vector<std::string> words,
                                          const std::optional<security::Token>& token,
                                          Duration limit) {
  if (!rpc::IsExecutorName(name) || name.starts_with('.')) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", name, "\" cannot name a daemon"),
         .where = "--name",
         .remedy = absl::StrCat("Use ", rpc::kExecutorNameRule, ", no '.' in front")});
  }
  const std::string folder = FolderOf(name);
  // The folder is locked during a start, so a concurrent start waits here or finds the daemon
  // running.
  std::optional<DataFolder> start;
  const Instant end = Clock::Real().Now() + limits::kReadyTimeout + limit;
  for (; !start; Pause(kDaemonPollInterval)) {
    auto opened = DataFolder::Open(folder);
    if (opened.ok()) {
      start.emplace(*std::move(opened));
    } else if (!absl::IsFailedPrecondition(opened.status()) || Clock::Real().Now() > end) {
      return opened.status();
    }
  }
  const std::string command = absl::StrJoin(words, " ");
  StartDeadline deadline(limit);
  for (Daemon daemon = Find(name); daemon.pid != 0;
       Pause(kDaemonPollInterval), daemon = Find(name)) {
    if (daemon.command != command) {
      return FailedPrecondition(
          {.message = absl::StrCat(name, " already runs with other flags: ", daemon.command),
           .where = absl::StrCat("process ", daemon.pid),
           .remedy = absl::StrCat("Stop it first: dl-submit daemons stop ", name)});
    }
    // The daemon may be about to join a master that started after it.
    if (IsReady(daemon.last_line) || deadline.IsOver(daemon))
      return Started{.daemon = std::move(daemon), .ran_already = true};
  }

  DL_RETURN_IF_ERROR(AtomicWriteSecret(OutputFile(folder), ""));
  if (token) {
    DL_RETURN_IF_ERROR(security::WriteTokenFile(TokenFile(folder), *token));
    words.insert(words.end(), {"--token-file", TokenFile(folder)});
  }
  words.insert(words.end(), {"--log-file", LogFile(folder)});
  DL_ASSIGN_OR_RETURN(std::string program, OwnProgram());
  words.insert(words.begin(), std::move(program));
  SpawnOptions options{.argv = std::move(words),
                       .out = ChildOutput::File(OutputFile(folder)),
                       .err = ChildOutput::File(LogFile(folder)),
                       .outlives_parent = true};
  DL_ASSIGN_OR_RETURN(const std::unique_ptr<ChildProcess> child, Spawner::Real().Start(options));
  const Json process = {{"pid", child->pid()},
                        {"birth", BirthOf(child->pid())},
                        {"machine_start", MachineBootId()},
                        {"command", command}};
  DL_RETURN_IF_ERROR(AtomicWriteSecret(ProcessFile(folder), JsonText(process) + "\n"));

  Started started;
  deadline = StartDeadline(limit);
  do {
    const auto ended = child->Wait(kDaemonPollInterval);
    started.daemon = Find(name);
    if (ended.ok()) {
      started.ended = *ended;
      return started;
    }
  } while (!IsReady(started.daemon.last_line) && !deadline.IsOver(started.daemon));
  return started;
}

std::vector<Daemon> Daemons::List() const {
  std::vector<Daemon> daemons;
  std::error_code error, ignored;
  for (std::filesystem::directory_iterator it(folder_, error), end; !error && it != end;
       it.increment(error)) {
    if (std::filesystem::exists(ProcessFile(it->path().string()), ignored))
      daemons.push_back(Find(it->path().filename().string()));
  }
  std::ranges::sort(daemons, {}, &Daemon::name);
  return daemons;
}

Status Daemons::Stop(const std::string& name, Duration limit) {
  const bool named = rpc::IsExecutorName(name) && !name.starts_with('.');
  const int64_t pid = named ? Find(name).pid : 0;
  // The process must be the one that was looked at. It is looked at again while the pidfd prevents
  // reuse of its id.
  const FileDescriptor process(pid == 0 ? -1 : pidfd_open(static_cast<pid_t>(pid), 0));
  if (!process.valid() || Find(name).pid != pid) {
    return NotFound({.message = absl::StrCat("no daemon \"", name, "\" runs on this machine"),
                     .where = folder_,
                     .remedy = "List them with dl-submit daemons"});
  }
  for (const Duration timeout : {limit, Duration(limits::kGoodbyeTimeout)}) {
    if (pidfd_send_signal(process.get(), SIGTERM, nullptr, 0) != 0 && errno != ESRCH)
      return SystemError(errno, "end", absl::StrCat("process ", pid));
    pollfd item = {process.get(), POLLIN, 0};
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
    if (poll(&item, 1, static_cast<int>(ms)) > 0) {
      unlink(TokenFile(FolderOf(name)).c_str());
      return absl::OkStatus();
    }
  }
  return DeadlineExceeded({.message = absl::StrCat(name, " does not end"),
                           .where = absl::StrCat("process ", pid),
                           .remedy = absl::StrCat("Read ", LogFile(FolderOf(name)),
                                                  "; results do not depend on how an executor "
                                                  "ends: kill -9 ",
                                                  pid)});
}

}  // namespace dl::launch
