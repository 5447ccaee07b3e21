#include "launch/clusters/slurm.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/captured_stderr.h"
#include "base/limits.h"
#include "base/process.h"

namespace dl::launch {
namespace {

using Words = std::vector<std::string>;

std::string LastWords(std::string text) {
  absl::StripTrailingAsciiWhitespace(&text);
  return text.empty() ? "nothing" : text;
}

// Runs a command and returns its output. Errors contain its error output.
StatusOr<std::string> Ask(const Words& words) {
  const CapturedStderr said;
  auto child =
      Spawner::Real().Start({.argv = words, .out = ChildOutput::Pipe(), .err = said.output()});
  if (absl::IsNotFound(child.status())) {
    return NotFound(
        {.message = absl::StrCat("there is no ", words[0],
                                 " on the PATH: Slurm is not "
                                 "installed on this machine"),
         .where = "slurm[N]",
         .remedy = "Start it on a machine with Slurm's commands (Debian package slurm-client)"});
  }
  DL_RETURN_IF_ERROR(child.status());
  auto text = (*child)->ReadAll(limits::kSlurmCommandTimeout, limits::kMaxSlurmOutputBytes);
  auto ended = text.ok() ? (*child)->Wait(limits::kSlurmCommandTimeout) : text.status();
  if (!ended.ok()) {
    return Unavailable(
        {.message = absl::StrCat(words[0], " does not end: ", LastWords(said.Text())),
         .where = words[0],
         .remedy = "Check that Slurm works here: sinfo"});
  }
  if (*ended == ExitStatus{}) return text;
  const std::string message =
      absl::StrCat(words[0], " ", ToString(*ended), ": ", LastWords(said.Text()));
  if (absl::StrContains(message, "Unable to contact") || absl::StrContains(message, "timed out") ||
      absl::StrContains(message, "Zero Bytes")) {
    return Unavailable(
        {.message = message, .where = words[0], .remedy = "Check that Slurm works here: sinfo"});
  }
  if (absl::StrContains(message, "Invalid job id"))
    return NotFound({.message = message, .where = words[0], .remedy = "See squeue"});
  return FailedPrecondition({.message = message,
                             .where = words[0],
                             .remedy = "Ask what there is "
                                       "with sinfo"});
}

// Returns the words "Name=value" of a line. If a name occurs twice, the first value counts.
std::map<std::string, std::string> Fields(std::string_view line) {
  std::map<std::string, std::string> fields;
  const std::vector<std::string> words =
      absl::StrSplit(std::string(line), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == word.npos) continue;
    fields.emplace(word.substr(0, equals), word.substr(equals + 1));
  }
  return fields;
}

std::string Stated(const std::string& value) {
  return value == "None" || value == "(null)" ? "" : value;
}

}  // namespace

std::string SlurmFilePattern(const std::string& path) {
  return absl::StrReplaceAll(path, {{"%", "%%"}});
}

std::optional<std::string> Slurm::OwnJob() const {
  const char* id = std::getenv("SLURM_JOB_ID");
  return id == nullptr ? std::nullopt : std::optional<std::string>(id);
}

StatusOr<std::string> Slurm::Submit(const BatchRequest& request, const BatchScript& batch) const {
  Words words = {
      "sbatch", "--parsable", "--job-name=" + batch.name,
      absl::StrCat("--ntasks=", request.executors), absl::StrCat("--cpus-per-task=", request.cpus),
      // A lost node ends only the tasks that ran on it.
      "--no-kill",
      // Slurm sends the signal before the time limit, and before it takes the nodes for another
      // job.
      "--requeue", absl::StrCat("--signal=B:TERM@", limits::kSlurmSignalSeconds),
      "--open-mode=append", "--chdir=" + batch.folder, "--output=" + SlurmFilePattern(batch.output),
      "--error=" + SlurmFilePattern(batch.errors)};
  if (!request.partition.empty()) words.push_back("--partition=" + request.partition);
  if (!request.time.empty()) words.push_back("--time=" + request.time);
  if (!request.account.empty()) words.push_back("--account=" + request.account);
  if (request.memory_bytes > 0) {
    // Memory is requested per CPU, because Slurm has no memory per task.
    const int64_t megabytes = (request.memory_bytes + (1 << 20) - 1) >> 20;
    words.push_back(
        absl::StrCat("--mem-per-cpu=", (megabytes + request.cpus - 1) / request.cpus, "M"));
  }
  words.push_back(batch.script);
  DL_ASSIGN_OR_RETURN(const std::string text, Ask(words));
  // "17", or "17;cluster".
  std::string id = text.substr(0, text.find_first_of(";\n"));
  if (uint64_t number = 0; absl::SimpleAtoi(id, &number)) return id;
  return Unavailable(
      {.message = absl::StrCat("sbatch did not print a job id but ", LastWords(text)),
       .where = "sbatch",
       .remedy = "See squeue"});
}

namespace {

BatchJob::Phase PhaseOf(const std::string& state) {
  using Phase = BatchJob::Phase;
  if (state == "PENDING") return Phase::kWaiting;
  if (state == "RUNNING") return Phase::kRunning;
  if (state == "CANCELLED") return Phase::kCancelled;
  if (state == "FAILED") return Phase::kFailed;
  static constexpr std::array kBetween = {
      "CONFIGURING", "SUSPENDED",    "COMPLETING",   "REQUEUED",     "STOPPED",
      "RESIZING",    "SIGNALING",    "STAGE_OUT",    "STAGE_IN",     "POWER_UP_NODE",
      "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
  return std::ranges::find(kBetween, state) == kBetween.end() ? Phase::kEnded : Phase::kBetween;
}

}  // namespace

StatusOr<BatchJob> ParseSlurmJob(std::string_view line) {
  const auto fields = Fields(line);
  const auto field = [&](const char* name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : Stated(found->second);
  };
  BatchJob job{.state = field("JobState"), .reason = field("Reason"), .nodes = field("NodeList")};
  job.phase = PhaseOf(job.state);
  (void)absl::SimpleAtoi(field("Restarts"), &job.restarts);
  const std::string code = field("ExitCode");  // "143:0": exit code and signal
  (void)absl::SimpleAtoi(code.substr(0, code.find(':')), &job.exit_code);
  if (!job.state.empty()) return job;
  return InvalidArgument({.message = absl::StrCat("scontrol did not describe a job but ",
                                                  LastWords(std::string(line.substr(0, 200)))),
                          .where = "scontrol show job",
                          .remedy = "See squeue"});
}

StatusOr<BatchJob> Slurm::Find(const std::string& id) const {
  DL_ASSIGN_OR_RETURN(const std::string text, Ask({"scontrol", "show", "job", "-o", id}));
  return ParseSlurmJob(text);
}

Status Slurm::Interrupt(const std::string& id) const {
  return Ask({"scancel", "--batch", "--signal=INT", id}).status();
}

Status Slurm::Cancel(const std::string& id) const { return Ask({"scancel", id}).status(); }

Status Slurm::Requeue(const std::string& id) const {
  return Ask({"scontrol", "requeue", id}).status();
}

Status Slurm::SetComment(const std::string& id, const std::string& text) const {
  return Ask({"scontrol", "update", "JobId=" + id, "Comment=" + text}).status();
}

StatusOr<std::string> FindNodeAddress(const std::string& node) {
  DL_ASSIGN_OR_RETURN(const std::string text, Ask({"scontrol", "show", "node", "-o", node}));
  const auto fields = Fields(text);
  const auto address = fields.find("NodeAddr");
  return address == fields.end() || Stated(address->second).empty() ? node : address->second;
}

int64_t MaxTasksPerNode(std::string_view tasks_per_node) {
  int64_t most = 1;
  const std::vector<std::string> parts = absl::StrSplit(std::string(tasks_per_node), ',');
  for (const std::string& part : parts) {
    int64_t tasks = 0;
    if (absl::SimpleAtoi(part.substr(0, part.find('(')), &tasks)) most = std::max(most, tasks);
  }
  return most;
}

}  // namespace dl::launch
