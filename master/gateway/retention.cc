#include "master/gateway/retention.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"
#include "master/store_recovery.h"
#include "master/stored.h"

namespace dl::master {
namespace {

// Time after which jobs beyond the allowed number are looked for again if the store failed, or if
// one of them ended in this look.
constexpr Duration kRetry = std::chrono::seconds(10);
// Time between two looks for checkpoints that are due.
constexpr Duration kTimeCheckInterval = std::chrono::hours(1);

// Reads only the records of checkpoints, because manifests are large and ended jobs are checked
// again and again. Damaged records pin nothing. Returns errors of the store.
StatusOr<bool> HasPinned(storage::MetaStore& meta, const std::string& job) {
  DL_ASSIGN_OR_RETURN(const auto records, ReadAll(meta, keys::CheckpointPrefix(job)));
  return std::ranges::any_of(records, [](const auto& record) {
    const auto json = ParseStored(record.second, record.first);
    if (!json.ok()) return false;
    const auto checkpoint = CheckpointInfoFromJson(*json, record.first);
    return checkpoint.ok() && checkpoint->pinned;
  });
}

}  // namespace

Retention::Retention(Options options) : options_(options) {
  thread_ = Thread("collection", [this] { Run(); });
}

Retention::~Retention() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    wake_.NotifyAll();
  }
  thread_.Join();
}

void Retention::JobReleased(const std::string& job) {
  MutexLock lock(mutex_);
  released_.push_back(job);
  wake_.NotifyAll();
}

bool Retention::Await(Instant next, std::vector<std::string>& released) {
  released.clear();
  MutexLock lock(mutex_);
  while (!stop_ && released_.empty()) {
    const Duration left = next - Clock::Real().Now();
    if (left <= Duration::zero()) break;
    wake_.WaitFor(mutex_, std::min<Duration>(left, std::chrono::hours(1)));
  }
  released.swap(released_);
  return !stop_;
}

void Retention::Run() {
  const Instant began = Clock::Real().Now();
  Expiry jobs(options_.kept.time, began), uploads(options_.kept.uploads, began);
  options_.actions->FinishDeletions();
  const auto look = [](Expiry& expiry, Instant& next) {
    const Instant now = Clock::Real().Now();
    if (now < next) return false;
    expiry.RecordTime(now, Clock::Real().WallUnixMs());
    next = now + expiry.Period();
    return true;
  };
  Instant next_jobs = options_.kept.time > Duration::zero() ? began : Instant::Max();
  Instant next_uploads = began, next_surplus = began, next_checkpoints = began;
  for (std::vector<std::string> released;
       Await(std::min({next_jobs, next_uploads, next_surplus, next_checkpoints}), released);) {
    RecordEnds(released);
    if (!released.empty() || Clock::Real().Now() >= next_surplus)
      next_surplus = DeleteSurplus(released);
    if (look(jobs, next_jobs)) DeleteExpired(jobs);
    if (look(uploads, next_uploads)) options_.actions->CollectUnnamed(uploads);
    if (const Instant now = Clock::Real().Now(); now >= next_checkpoints) {
      DeleteDueCheckpoints();
      next_checkpoints = now + kTimeCheckInterval;
    }
  }
}

StatusOr<std::vector<Retention::Ended>> Retention::AllEnded() {
  std::vector<std::string> ids;
  DL_RETURN_IF_ERROR(
      options_.meta->Scan(keys::kNumberPrefix, [&](std::string_view, std::string_view id) {
        ids.emplace_back(id);
        return absl::OkStatus();
      }));
  std::vector<Ended> ended;
  for (std::string& id : ids) {
    DL_ASSIGN_OR_RETURN(const std::optional<int64_t> end, EndOf(*options_.meta, id));
    if (end) ended.push_back({.id = std::move(id), .at_unix_ms = *end});
  }
  return ended;
}

StatusOr<std::vector<Retention::Ended>> Retention::Surplus() {
  DL_ASSIGN_OR_RETURN(std::vector<Ended> ended, AllEnded());
  // Stable: jobs that ended at the same time stay in the order of their submission.
  std::ranges::stable_sort(ended, {}, &Ended::at_unix_ms);
  std::vector<Ended> surplus;
  int64_t kept = 0;
  // Jobs with pinned checkpoints do not count. Otherwise pinned checkpoints of old jobs would cause
  // the deletion of jobs of other owners.
  for (auto job = ended.rbegin(); job != ended.rend(); ++job) {
    DL_ASSIGN_OR_RETURN(const bool is_pinned, HasPinned(*options_.meta, job->id));
    if (is_pinned) continue;
    if (kept < options_.kept.jobs)
      ++kept;
    else
      surplus.push_back(std::move(*job));
  }
  std::ranges::reverse(surplus);
  return surplus;
}

Instant Retention::DeleteSurplus(const std::vector<std::string>& released) {
  if (options_.kept.jobs == 0) return Instant::Max();
  const Instant again = Clock::Real().Now() + kRetry;
  const auto surplus = Surplus();
  if (!surplus.ok()) return again;
  Instant next = Instant::Max();
  const std::string why = absl::StrCat("more than ", options_.kept.jobs, " had ended");
  for (const Ended& job : *surplus) {
    if (std::ranges::find(released, job.id) != released.end()) {
      next = again;
    } else if (!Delete(job, why).ok()) {
      return again;
    }
  }
  return next;
}

void Retention::RecordEnds(const std::vector<std::string>& released) {
  for (const std::string& job : released) {
    const auto end = EndOf(*options_.meta, job);
    if (!end.ok()) {
      oldest_unix_ms_ = 0;
    } else if (*end) {
      oldest_unix_ms_ = std::min(oldest_unix_ms_, **end);
    }
  }
}

// Reads no record while no job can be due.
void Retention::DeleteExpired(const Expiry& expiry) {
  if (oldest_unix_ms_ != 0 && !expiry.IsDue(oldest_unix_ms_)) return;
  oldest_unix_ms_ = 0;
  const auto ended = AllEnded();
  if (!ended.ok()) return;
  int64_t oldest_unix_ms = INT64_MAX;
  for (const Ended& job : *ended) {
    const auto gone = expiry.IsDue(job.at_unix_ms)
                          ? Delete(job, "it ended longer ago than jobs are kept")
                          : StatusOr<bool>(false);
    if (!gone.ok() || !*gone) oldest_unix_ms = std::min(oldest_unix_ms, job.at_unix_ms);
  }
  oldest_unix_ms_ = oldest_unix_ms;
}

// Errors of a job leave its checkpoints for the next look.
void Retention::DeleteDueCheckpoints() {
  std::vector<std::string> jobs;
  const std::string_view prefix = keys::kDuePrefix;
  const Status scanned =
      options_.meta->Scan(keys::kDuePrefix, [&](std::string_view key, std::string_view) {
        jobs.emplace_back(key.substr(prefix.size()));
        return absl::OkStatus();
      });
  if (!scanned.ok()) return;
  for (const std::string& job : jobs) {
    if (absl::IsUnavailable(options_.actions->DeleteDueCheckpoints(job))) return;
  }
}

StatusOr<bool> Retention::Delete(const Ended& job, const std::string& why) {
  DL_ASSIGN_OR_RETURN(const bool is_pinned, HasPinned(*options_.meta, job.id));
  if (is_pinned) return false;
  const auto done = options_.actions->DeleteExpired(job.id, job.at_unix_ms);
  if (absl::IsUnavailable(done.status())) return done.status();
  if (!done.ok()) return false;  // another job begins from it, or a client reads it
  options_.log->Write(absl::StrCat(done->message, ": ", why));
  return true;
}

}  // namespace dl::master
