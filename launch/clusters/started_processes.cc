#include "launch/clusters/started_processes.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/exit_status.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/open_files.h"
#include "base/own_program.h"
#include "base/sentences.h"
#include "launch/clusters/ended_process.h"
#include "launch/daemons/data_folder.h"

namespace dl::launch {
namespace {

// A process that has closed its output ends soon, even on a busy machine.
constexpr Duration kEndsWithin = std::chrono::seconds(1);

}  // namespace

StatusOr<std::string> DlSubmitProgram(const std::string& given) {
  if (!given.empty()) return given;
  std::error_code error;
  DL_ASSIGN_OR_RETURN(const std::string self, OwnProgram());
  const std::filesystem::path beside = std::filesystem::path(self).parent_path() / "dl-submit";
  if (std::filesystem::exists(beside, error)) return beside.string();
  return NotFound({.message = "dl-submit is not in the folder of this program",
                   .where = self,
                   .remedy = "Start the job with dl-submit run"});
}

StatusOr<MasterProcess> MasterProcess::Start(Options options) {
  // The master process would also detect this, but report it only in its log.
  if (auto holder = DataFolder::Holder(options.data_dir))
    return FolderInUse(options.data_dir, *holder);
  // An executor has three connections, and the command that starts them has up to two.
  DL_RETURN_IF_ERROR(RequireConnections(3 * options.executors + 2));
  SpawnOptions spawn{
      .argv = {options.program, "master", "--port", "0", "--data-dir", options.data_dir},
      .out = ChildOutput::Pipe(),
      .err = ChildOutput::File(options.log_path)};
  spawn.argv.insert(spawn.argv.end(), options.flags.begin(), options.flags.end());
  DL_ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> process, Spawner::Real().Start(spawn));
  MasterProcess master(std::move(options), std::move(process));
  if (const Status ready = master.ReadReadyLine(); !ready.ok()) return master.NotReadyError(ready);
  return master;
}

MasterProcess::~MasterProcess() {
  if (process_ == nullptr) return;
  (void)process_->Signal(SIGTERM);
  (void)process_->Wait(limits::kShutdownTimeout);
}

Status MasterProcess::Health() {
  const auto ended = process_->Wait(Duration::zero());
  if (!ended.ok()) return absl::OkStatus();
  return Unavailable({.message = absl::StrCat("the master process ", DescribeEnd(*ended)),
                      .where = options_.log_path,
                      .remedy = "Read its log, then start again: running jobs continue"});
}

// Another process may have held the folder and released it in the meantime. Then only the master's
// exit code shows that another attempt may succeed.
Status MasterProcess::NotReadyError(const Status& status) const {
  const auto holder = DataFolder::Holder(options_.data_dir);
  if (holder && holder->pid != process_->pid()) return FolderInUse(options_.data_dir, *holder);
  const auto ended = process_->Wait(kEndsWithin);
  if (!ended.ok() || ended->code != exit_status::kTryAgain) return status;
  return FailedPrecondition({.message = std::string(status.message()),
                             .where = options_.log_path,
                             .remedy = JoinSentences(ErrorRemedy(status), "Then start it again")});
}

Status MasterProcess::ReadReadyLine() {
  StatusOr<std::string> line = process_->ReadLine(limits::kReadyTimeout);
  if (line.ok()) {
    auto json = ParseJson(*line, "the master's ready line");
    if (json.ok() && json->value("port", 0) > 0) {
      port_ = json->value("port", 0);
      page_ = json->value("page", "");
      return absl::OkStatus();
    }
  }
  const LoggedError error =
      LastLoggedError(options_.log_path).value_or(LoggedError{.message = "its log is empty"});
  return Unavailable({.message = "the master process did not start: " + error.message,
                      .where = options_.log_path,
                      .remedy = error.remedy});
}

std::vector<std::string> ExecutorArguments(const ExecutorStart& start) {
  std::vector<std::string> words = {start.program,     "executor",
                                    "--master",        start.master_url,
                                    "--token-file",    start.token_file,
                                    "--slots",         absl::StrCat(start.slots),
                                    "--cache-bytes",   absl::StrCat(limits::kClusterCacheBytes),
                                    "--drain-seconds", "0"};
  if (start.memory_bytes > 0)
    words.insert(words.end(), {"--memory", absl::StrCat(start.memory_bytes)});
  if (!start.isa.empty()) words.insert(words.end(), {"--isa", start.isa});
  return words;
}

void WaitUntilExecutorsEnd(std::span<SupervisedProcess> executors) {
  // The goodbye and the end of running computations take up to kGoodbyeTimeout each. After that a
  // trace may be written.
  const Instant last = Clock::Real().Now() + 3 * limits::kGoodbyeTimeout;
  for (SupervisedProcess& executor : executors)
    (void)executor.WaitForEnd(std::max(last - Clock::Real().Now(), Duration::zero()));
}

}  // namespace dl::launch
