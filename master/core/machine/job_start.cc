#include "master/core/machine/job_start.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {

void JobStart::StartJob(Job& job) {
  jobs_.Touch(job);
  job.failed_under.clear();
  job.counts.started_at = step_.now;
  job.saving.lacks_space = false;
  job.saving.last_at = step_.now;
  records_.SetState(job, JobState::kStarting, Reason::kLoadingState, "");
  if (job.log.committed >= 0) {
    GoOn(job);
    return;
  }
  StatusOr<PrepareState> first = uses_.sources.FirstState(job);
  if (!first.ok()) {
    uses_.endings.Fail(job, Reason::kStorage, first.status());
    return;
  }
  uses_.preparations.Prepare(job, *std::move(first));
}

void JobStart::LoadJob(RecoveredJob recovered) {
  const std::string id = recovered.definition.id;
  const Status given_up = recovered.given_up;
  Job restored = Restored(std::move(recovered));
  if (!restored.damage.ok()) {
    step_.WriteLog(absl::StrCat(id, " is damaged: ", DescribeError(restored.damage)));
    jobs_.AddDamaged(std::move(restored));
    return;
  }
  Job& job = jobs_.Add(std::move(restored));
  uses_.logs.PersistNoted(job);
  job.counts.started_at = step_.now;
  job.saving.lacks_space = false;
  job.saving.last_at = step_.now;
  if (job.record.state == JobState::kCancelling) {
    job.at = job.log.committed;
    uses_.endings.End(job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
    return;
  }
  if (!given_up.ok()) {
    job.at = job.log.committed;
    uses_.endings.Fail(job, Reason::kProcessKilled, given_up);
    return;
  }
  if (job.record.state == JobState::kPausing || job.record.state == JobState::kPaused) {
    if (job.record.state == JobState::kPausing) uses_.endings.Stop(job);
    return;
  }
  const bool fits = uses_.queue.CheckFitsAlone(job.definition).ok();
  if (job.record.state == JobState::kQueued || job.log.committed < 0 || !fits) {
    job.record.state = JobState::kQueued;
    job.record.reason = Reason::kNone;
    uses_.queue.Add(job);
    return;
  }
  GoOn(job);
}

void JobStart::GoOn(Job& job) {
  int64_t to = job.log.committed;
  for (const auto& [executor, since] : job.attestations.unverified_since) {
    if (fleet_.IsQuarantined(executor) && job.RollsBackOnQuarantine()) to = std::min(to, since - 1);
  }
  if (to < job.log.committed) {
    uses_.rollbacks.RollBack(job, {.to = to});
  } else {
    uses_.recovery.BeginRecovery(job);
  }
}

}  // namespace dl::master
