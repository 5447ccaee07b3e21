#include "launch/daemons/daemon_status.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace dl::launch {
namespace {

constexpr size_t kMaxNamed = 3;
constexpr Duration kCounts = std::chrono::seconds(10);

std::string Counted(size_t count, const char* what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

bool IsInProgress(const std::string& state) {
  return state == "STARTING" || state == "RUNNING" || state == "RECOVERING" || state == "WAITING";
}

std::string UnitText(const rpc::UnitProgress& unit) {
  std::string text = absl::StrCat(unit.unit.job, " round ", unit.unit.round,
                                  unit.unit.kind == UnitKind::kTrain ? " worker " : " evaluation ",
                                  unit.unit.index);
  if (unit.steps_total > 0)
    absl::StrAppend(&text, " step ", unit.steps_done, "/", unit.steps_total);
  return text;
}

}  // namespace

std::string MasterStatusLine(const Json& cluster, const Json& jobs) {
  const auto executors = cluster.find("executors");
  std::string line = Counted(executors == cluster.end() ? 0 : executors->size(), "executor");
  size_t in_progress = 0;
  for (const Json& job : jobs) {
    if (!IsInProgress(job.value("state", ""))) continue;
    if (++in_progress > kMaxNamed) continue;
    absl::StrAppend(&line, in_progress == 1 ? "; " : ", ", job.value("job", ""), " round ",
                    job.value("rounds", int64_t{0}), "/", job.value("rounds_total", int64_t{0}));
  }
  if (in_progress == 0) line += "; no job runs";
  if (in_progress > kMaxNamed) absl::StrAppend(&line, ", ", in_progress - kMaxNamed, " more");
  const auto queued = cluster.value("jobs_queued", int64_t{0});
  if (queued > 0) absl::StrAppend(&line, "; ", queued, queued == 1 ? " job waits" : " jobs wait");
  return line;
}

std::string ExecutorStatusLine(const std::vector<rpc::UnitProgress>& running) {
  if (running.empty()) return "waits for work";
  std::string line = UnitText(running.front());
  if (running.size() > 1) absl::StrAppend(&line, ", ", Counted(running.size() - 1, "more unit"));
  return line;
}

void RunningUnits::Begin(int32_t slot, const UnitId& unit) {
  MutexLock lock(mutex_);
  is_known_ = true;
  running_[slot] = {.unit = unit};
}

void RunningUnits::End(int32_t slot) {
  MutexLock lock(mutex_);
  const auto ended = running_.find(slot);
  if (ended == running_.end()) return;
  last_ = {ended->second};
  ended_ = clock_.Now();
  running_.erase(ended);
}

void RunningUnits::Update(const std::vector<rpc::UnitProgress>& progress) {
  MutexLock lock(mutex_);
  is_known_ = true;
  for (auto& [slot, running] : running_) {
    const auto news = std::ranges::find(progress, running.unit, &rpc::UnitProgress::unit);
    if (news != progress.end()) running = *news;
  }
}

std::string RunningUnits::Line() const {
  MutexLock lock(mutex_);
  if (!is_known_) return "";
  if (running_.empty())
    return ExecutorStatusLine(clock_.Now() - ended_ < kCounts ? last_ : decltype(last_)());
  std::vector<rpc::UnitProgress> running;
  for (const auto& [slot, unit] : running_) running.push_back(unit);
  return ExecutorStatusLine(running);
}

}  // namespace dl::launch
