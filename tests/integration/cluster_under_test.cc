#include "tests/integration/cluster_under_test.h"

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "base/files.h"
#include "gtest/gtest.h"
#include "job/describe.h"
#include "launch/pause.h"

namespace dl::test {
namespace {

constexpr Duration kPatience = std::chrono::seconds(120);
constexpr int64_t kMostOutput = 64 << 20;

}  // namespace

std::string Binary(const std::string& name) {
  const char* folder = std::getenv("DL_BIN");
  return absl::StrCat(folder == nullptr ? "build/release/bin" : folder, "/", name);
}

Finished DlSubmit(const std::vector<std::string>& words, Duration limit) {
  const TempFolder folder;
  SpawnOptions options{.out = ChildOutput::Pipe(), .err = ChildOutput::File(folder / "err")};
  options.argv = {Binary("dl-submit")};
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
  for (absl::string_view line : absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    auto json = ParseJson(std::string(line), "output");
    if (json.ok()) finished.lines.push_back(*std::move(json));
  }
  return finished;
}

std::string WriteJob(const TempFolder& folder, const std::string& name, const job::JobSpec& spec) {
  const std::string path = folder / (name + ".json");
  std::ofstream(path) << job::PrintJob(spec);
  return path;
}

Json RunJob(const std::string& master, const std::string& job_file,
            const std::vector<std::string>& more) {
  const TempFolder folder;
  std::vector<std::string> words = {"run",           "--master", master,  "--data-dir",
                                    folder / "data", "--json",   job_file};
  words.insert(words.end(), more.begin(), more.end());
  const Finished finished = DlSubmit(words);
  EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
  return finished.result();
}

void StandingCluster::StartMaster() {
  SpawnOptions options{
      .argv = {Binary("dl-submit"), "master", "--port", std::to_string(port_), "--data-dir",
               folder_ / "master"},
      .out = ChildOutput::Pipe(),
      .err = ChildOutput::File(folder_ / absl::StrCat("master-", logs_++, ".log"))};
  auto child = Spawner::Real().Start(options);
  ASSERT_TRUE(child.ok()) << DescribeError(child.status());
  master_ = *std::move(child);
  auto line = master_->ReadLine(kPatience);
  ASSERT_TRUE(line.ok()) << DescribeError(line.status());
  auto ready = ParseJson(*line, "ready line");
  ASSERT_TRUE(ready.ok()) << *line;
  port_ = ready->value("port", 0);
}

void StandingCluster::KillMaster() {
  ASSERT_TRUE(master_->Signal(SIGKILL).ok());
  ASSERT_TRUE(master_->Wait(kPatience).ok());
}

void StandingCluster::StartExecutor() {
  const int number = logs_++;
  auto child = Spawner::Real().Start(
      {.argv = {Binary("dl-submit"), "executor", "--master", url(), "--slots", "1", "--cache-dir",
                folder_ / absl::StrCat("cache-", number)},
       .out = ChildOutput::Discard(),
       .err = ChildOutput::File(folder_ / absl::StrCat("executor-", number, ".log"))});
  ASSERT_TRUE(child.ok()) << DescribeError(child.status());
  executors_.push_back(*std::move(child));
}

std::string StandingCluster::Submit(const std::string& job_file) {
  const Finished finished = DlSubmit({"submit", "--master", url(), "-d", "-q", job_file});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  std::string id = finished.text;
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

Json StandingCluster::Job(const std::string& id) {
  const Finished finished = DlSubmit({"status", "--master", url(), "--json", id});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  return finished.result();
}

Json StandingCluster::Cluster() {
  const Finished finished = DlSubmit({"status", "--master", url(), "--json"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  return finished.result();
}

Json StandingCluster::WaitForRound(const std::string& id, int64_t round) {
  const Instant end = Clock::Real().Now() + kPatience;
  for (;;) {
    Json job = Job(id);
    if (job.value("rounds", int64_t{0}) >= round) return job;
    if (Clock::Real().Now() >= end) {
      ADD_FAILURE() << id << " did not come to round " << round << ": " << job.dump();
      return job;
    }
    launch::Pause(std::chrono::milliseconds(20));
  }
}

Json StandingCluster::Wait(const std::string& id) {
  const Finished finished = DlSubmit({"wait", "--master", url(), "--json", id}, kPatience);
  EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
  return finished.result();
}

}  // namespace dl::test
