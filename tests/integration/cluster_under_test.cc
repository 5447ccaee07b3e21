#include "tests/integration/cluster_under_test.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/limits.h"
#include "gtest/gtest.h"
#include "job/describe.h"
#include "launch/credentials.h"
#include "launch/pause.h"
#include "master/core/master_core_options.h"
#include "tests/integration/bounds.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

constexpr int64_t kMostOutput = 64 << 20;

std::vector<Json> JsonLines(const std::string& text) {
  std::vector<Json> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    auto json = ParseJson(std::string(line), "output");
    if (json.ok()) lines.push_back(*std::move(json));
  }
  return lines;
}

void AwaitStop(const ChildProcess& child) {
  const std::string file = absl::StrCat("/proc/", child.pid(), "/stat");
  const Instant patience = Clock::Real().Now() + kTimeout;
  for (;;) {
    // The format is PID (NAME) STATE ...
    const std::string stat = ReadFile(file, kMostOutput).value_or("");
    const size_t name_end = stat.rfind(") ");
    ASSERT_NE(name_end, std::string::npos) << "process " << child.pid() << " is gone";
    const char state = stat[name_end + 2];
    ASSERT_NE(state, 'Z') << "process " << child.pid() << " has ended";
    if (state == 'T') return;
    ASSERT_LT(Clock::Real().Now(), patience) << "process " << child.pid() << " does not stop";
    launch::Pause(std::chrono::milliseconds(20));
  }
}

}  // namespace

ScopedFailPoints::ScopedFailPoints(const char* list) { setenv("DL_FAIL_POINTS", list, 1); }
ScopedFailPoints::~ScopedFailPoints() { unsetenv("DL_FAIL_POINTS"); }

std::string Binary(const std::string& name) {
  const char* folder = std::getenv("DL_BIN");
  return absl::StrCat(folder == nullptr ? "build/release/bin" : folder, "/", name);
}

Finished DlSubmit(const std::vector<std::string>& words, Duration limit,
                  const std::vector<std::string>& place) {
  const TempFolder folder;
  SpawnOptions options{.out = ChildOutput::Pipe(), .err = ChildOutput::File(folder / "err")};
  options.argv = place;
  options.argv.push_back(Binary("dl-submit"));
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  Finished finished;
  auto child = Spawner::Real().Start(options);
  if (!child.ok()) {
    ADD_FAILURE() << DescribeError(child.status());
    return finished;
  }
  auto text = (*child)->ReadAll(limit, kMostOutput);
  auto status = (*child)->Wait(limit);
  finished.errors = ReadFile(folder / "err", kMostOutput).value_or("");
  if (!text.ok() || !status.ok()) {
    ADD_FAILURE() << "dl-submit " << words.front() << " did not end: " << finished.errors;
    return finished;
  }
  finished.exit_code = status->signal == 0 ? status->code : 128 + status->signal;
  finished.text = *text;
  finished.lines = JsonLines(*text);
  return finished;
}

std::string WriteJob(const TempFolder& folder, const std::string& name, const job::JobSpec& spec) {
  const std::string path = folder / (name + ".json");
  std::ofstream(path) << job::FormatJob(spec);
  return path;
}

ForegroundRun::ForegroundRun(const TempFolder& folder, const std::vector<std::string>& words)
    : error_log_(folder / "foreground-errors") {
  for (int number = 1; std::filesystem::exists(error_log_); ++number)
    error_log_ = folder / absl::StrCat("foreground-errors-", number);
  SpawnOptions options{.argv = {Binary("dl-submit")},
                       .out = ChildOutput::Pipe(),
                       .err = ChildOutput::File(error_log_)};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  auto child = Spawner::Real().Start(options);
  if (child.ok()) {
    child_ = *std::move(child);
  } else {
    ADD_FAILURE() << DescribeError(child.status());
  }
}

void ForegroundRun::ReadUntilCheckpoints(int count) {
  ReadUntil(
      [&](const Json& event) { return event.value("type", "") == "checkpoint" && --count == 0; });
}

void ForegroundRun::ReadUntil(const std::function<bool(const Json&)>& holds) {
  for (;;) {
    auto line = child_->ReadLine(kTimeout);
    ASSERT_TRUE(line.ok()) << DescribeError(line.status()) << " before what was waited for; "
                           << ReadFile(error_log_, kMostOutput).value_or("");
    auto event = ParseJson(*line, "event");
    ASSERT_TRUE(event.ok()) << *line;
    if (holds(*event)) return;
  }
}

void ForegroundRun::WaitForStop() { AwaitStop(*child_); }

void ForegroundRun::Continue() { ASSERT_TRUE(child_->Signal(SIGCONT).ok()); }

void ForegroundRun::Signal(int signal) { ASSERT_TRUE(child_->Signal(signal).ok()); }

void ForegroundRun::Kill() {
  ASSERT_TRUE(child_->Signal(SIGKILL).ok());
  ASSERT_TRUE(child_->Wait(kTimeout).ok());
}

Finished ForegroundRun::Finish() {
  Finished finished;
  auto text = child_->ReadAll(kTimeout, kMostOutput);
  auto status = child_->Wait(kTimeout);
  finished.errors = ReadFile(error_log_, kMostOutput).value_or("");
  if (!text.ok() || !status.ok()) {
    ADD_FAILURE() << "dl-submit did not end: " << finished.errors;
    return finished;
  }
  finished.exit_code = status->signal == 0 ? status->code : 128 + status->signal;
  finished.text = *text;
  finished.lines = JsonLines(*text);
  return finished;
}

void StandingCluster::UseMasterPlace(std::vector<std::string> place, const std::string& host) {
  master_place_ = std::move(place);
  host_ = host;
}

void StandingCluster::UseClientPlace(std::vector<std::string> place,
                                     std::vector<std::string> words) {
  client_place_ = std::move(place);
  client_words_ = std::move(words);
}

void StandingCluster::StartMaster() {
  const Finished started = TryToStartMaster();
  ASSERT_EQ(started.exit_code, -1) << started.errors;
}

Finished StandingCluster::TryToStartMaster(const std::vector<std::string>& more) {
  master_log_ = folder_ / absl::StrCat("master-", logs_++, ".log");
  SpawnOptions options{.argv = {Binary("dl-submit"), "master", "--port", std::to_string(port_),
                                "--data-dir", data_dir_},
                       .out = ChildOutput::Pipe(),
                       .err = ChildOutput::File(master_log_)};
  options.argv.insert(options.argv.end(), master_flags_.begin(), master_flags_.end());
  options.argv.insert(options.argv.end(), more.begin(), more.end());
  if (files_ > 0) {
    const std::string limit = absl::StrCat("ulimit -n ", files_, "; exec \"$0\" \"$@\"");
    const std::vector<std::string> shell = {"/bin/sh", "-c", limit};
    options.argv.insert(options.argv.begin(), shell.begin(), shell.end());
  }
  options.argv.insert(options.argv.begin(), master_place_.begin(), master_place_.end());
  auto child = Spawner::Real().Start(options);
  if (!child.ok()) {
    ADD_FAILURE() << DescribeError(child.status());
    return {.exit_code = 255};
  }
  master_ = *std::move(child);
  auto line = master_->ReadLine(kTimeout);
  if (!line.ok()) return WaitForMasterEnd();
  auto ready = ParseJson(*line, "ready line");
  if (!ready.ok()) {
    ADD_FAILURE() << *line;
    return {.exit_code = 255};
  }
  port_ = ready->value("port", 0);
  page_ = ready->value("page", "");
  return {};
}

Finished StandingCluster::WaitForMasterEnd() {
  Finished finished{.exit_code = 255};
  auto status = master_->Wait(kTimeout);
  finished.errors = ReadFile(master_log_, kMostOutput).value_or("");
  if (!status.ok()) {
    ADD_FAILURE() << "the master did not end: " << finished.errors;
    return finished;
  }
  finished.exit_code = status->signal == 0 ? status->code : 128 + status->signal;
  return finished;
}

bool StandingCluster::MasterHasEnded() { return master_->Wait(Duration::zero()).ok(); }

void StandingCluster::TerminateMaster() { ASSERT_TRUE(master_->Signal(SIGTERM).ok()); }

void StandingCluster::KillMaster() {
  ASSERT_TRUE(master_->Signal(SIGKILL).ok());
  ASSERT_TRUE(master_->Wait(kTimeout).ok());
}

void StandingCluster::StartExecutor(const std::string& cache_dir, const std::string& isa) {
  const int number = logs_++;
  executor_log_ = folder_ / absl::StrCat("executor-", number, ".log");
  std::vector<std::string> argv = {
      Binary("dl-submit"),
      "executor",
      "--master",
      url(),
      "--slots",
      std::to_string(slots_),
      "--cache-dir",
      cache_dir.empty() ? folder_ / absl::StrCat("cache-", number) : cache_dir};
  if (!isa.empty()) argv.insert(argv.end(), {"--isa", isa});
  argv.insert(argv.end(), executor_flags_.begin(), executor_flags_.end());
  argv.insert(argv.begin(), executor_place_.begin(), executor_place_.end());
  auto child = Spawner::Real().Start({.argv = std::move(argv),
                                      .out = ChildOutput::Discard(),
                                      .err = ChildOutput::File(executor_log_)});
  ASSERT_TRUE(child.ok()) << DescribeError(child.status());
  executors_.push_back(*std::move(child));
}

void StandingCluster::Stop(size_t index) { ASSERT_TRUE(SignalExecutor(index, SIGSTOP).ok()); }

void StandingCluster::Continue(size_t index) { ASSERT_TRUE(SignalExecutor(index, SIGCONT).ok()); }

void StandingCluster::WaitForStop(size_t index) { AwaitStop(*executors_[index]); }

void StandingCluster::WaitUntilNothingIsParked(size_t index) {
  // On a busy machine the last heartbeat may be older than the last request by more than their
  // interval.
  const Duration silence = 2 * (limits::kLongPoll + master::CoreOptions{}.heartbeat);
  const Instant patience = Clock::Real().Now() + kTimeout;
  for (;;) {
    const Json executor = Executor(index);
    ASSERT_FALSE(executor.empty()) << "executor " << index << " was stopped until it was missed";
    if (executor.at("seconds_since_heartbeat").get<double>() >= Seconds(silence)) return;
    ASSERT_LT(Clock::Real().Now(), patience) << executor.dump();
    launch::Pause(std::chrono::milliseconds(20));
  }
}

void StandingCluster::WaitForExecutor(size_t index) {
  const Instant patience = Clock::Real().Now() + kTimeout;
  while (ExecutorName(index).empty()) {
    ASSERT_LT(Clock::Real().Now(), patience) << "executor " << index << " does not register";
    launch::Pause(std::chrono::milliseconds(20));
  }
}

int StandingCluster::WaitForExecutorEnd(size_t index) {
  const auto status = executors_[index]->Wait(kTimeout);
  if (!status.ok()) {
    ADD_FAILURE() << DescribeError(status.status());
    return -1;
  }
  return status->signal == 0 ? status->code : 128 + status->signal;
}

void StandingCluster::WaitForExecutorLog(const std::string& text) {
  const Instant patience = Clock::Real().Now() + kTimeout;
  while (ExecutorLog().find(text) == std::string::npos) {
    ASSERT_LT(Clock::Real().Now(), patience) << ExecutorLog();
    launch::Pause(std::chrono::milliseconds(20));
  }
}

void StandingCluster::KillExecutors() {
  for (auto& executor : executors_) {
    (void)executor->Signal(SIGKILL);  // some have already ended
    ASSERT_TRUE(executor->Wait(kTimeout).ok());
  }
  executors_.clear();
}

std::string StandingCluster::ExecutorLog() const {
  return ReadFile(executor_log_, kMostOutput).value_or("");
}

std::string StandingCluster::MasterLog() const {
  return ReadFile(master_log_, kMostOutput).value_or("");
}

Finished StandingCluster::Command(const std::string& command,
                                  const std::vector<std::string>& words) const {
  std::vector<std::string> all = {command, "--master", url()};
  all.insert(all.end(), client_words_.begin(), client_words_.end());
  all.insert(all.end(), words.begin(), words.end());
  return DlSubmit(all, kTimeout, client_place_);
}

Finished StandingCluster::Ask(const std::string& command, const std::vector<std::string>& words) {
  std::vector<std::string> all = {"--json"};
  all.insert(all.end(), words.begin(), words.end());
  return Command(command, all);
}

rpc::Credentials StandingCluster::credentials() const {
  auto found = launch::FindCredentials({.data_dir = data_dir_}, {"127.0.0.1", port_});
  DL_EXPECT_OK(found);
  return found.value_or(rpc::Credentials{});
}

std::string StandingCluster::Submit(const std::string& job_file) {
  const Finished finished = Command("submit", {"-d", "-q", job_file});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  std::string id = finished.text;
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

Json StandingCluster::Job(const std::string& id) {
  const Finished finished = Ask("status", {id});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  return finished.result();
}

Json StandingCluster::Cluster() {
  const Finished finished = Ask("status");
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  return finished.result();
}

Json StandingCluster::WaitForRound(const std::string& id, int64_t round) {
  return WaitUntil(id, [&](const Json& job) { return job.value("rounds", int64_t{0}) >= round; });
}

Json StandingCluster::WaitUntil(const std::string& id,
                                const std::function<bool(const Json&)>& holds) {
  const Instant patience = Clock::Real().Now() + kTimeout;
  for (;;) {
    Json job = Job(id);
    if (holds(job)) return job;
    if (Clock::Real().Now() >= patience) {
      ADD_FAILURE() << "what was waited for did not come: " << job.dump();
      return job;
    }
    launch::Pause(std::chrono::milliseconds(20));
  }
}

Json StandingCluster::Executor(size_t index) {
  const Json cluster = Cluster();
  for (const Json& executor : cluster.at("executors")) {
    if (executor.value("pid", 0) == executors_[index]->pid()) return executor;
  }
  return Json::object();
}

std::string StandingCluster::ExecutorName(size_t index) {
  return Executor(index).value("executor", "");
}

std::vector<Json> StandingCluster::RoundLog(const std::string& id) {
  const Finished finished = Command("inspect", {"--log", id});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  return finished.lines;
}

Json StandingCluster::Wait(const std::string& id) {
  const Finished finished = Ask("wait", {id});
  EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
  return finished.result();
}

}  // namespace dl::test
