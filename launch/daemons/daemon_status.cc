#include "launch/daemons/daemon_status.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace dl::launch {
namespace {

constexpr size_t kMostNamed = 3;
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
    if (++in_progress > kMostNamed) continue;
    absl::StrAppend(&line, in_progress == 1 ? "; " : ", ", job.value("job", ""), " round ",
                    job.value("rounds", int64_t{0}), "/", job.value("rounds_total", int64_t{0}));
  }
  if (in_progress == 0) line += "; no job runs";
  if (in_progress > kMostNamed) absl::StrAppend(&line, ", ", in_progress - kMostNamed, " more");
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

void RunningUnits::Set(const std::vector<rpc::UnitProgress>& running) {
  MutexLock lock(mutex_);
  const Instant now = Clock::Real().Now();
  is_known_ = true;
  if (running.empty() && now - seen_ < kCounts) return;
  running_ = running;
  seen_ = now;
}

std::string RunningUnits::Line() const {
  MutexLock lock(mutex_);
  return is_known_ ? ExecutorStatusLine(running_) : "";
}

}  // namespace dl::launch
