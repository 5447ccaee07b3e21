#include "master/core/machine/endings.h"

#include <utility>

namespace dl::master {

void Endings::End(Job& job, JobState state, Reason reason, Status error) {
  StopComputing(job);
  job.record.error = std::move(error);
  job.log.Close(job.checkpoints);
  job.end = jobs_.RecordEnd(job);
  step_.batch().MarkEssential();  // so that the reason is recorded even on a full disk
  records_.SetState(job, state, reason,
                    job.record.error.ok() ? "" : DescribeError(job.record.error),
                    rpc::RemedyOf(job.record.error));
  if (state == JobState::kSucceeded) {
    // It does not begin again, so its source and its first checkpoint may be deleted.
    uses_.sources.UpdateWantedSource(job);
    uses_.checkpoints.PruneCheckpoints(job);
  }
  records_.PersistReports(job);
  step_.EmitEvent(job, records_.ViewResult(job));
  step_.Do(ReleaseJob{job.definition.id, job.end});
  if (state == JobState::kSucceeded) uses_.queue.PredecessorSucceeded(job.definition.id);
}

void Endings::Stop(Job& job) {
  if (job.record.state == JobState::kCancelling) {
    End(job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
  } else {
    Rest(job);
  }
}

void Endings::Rest(Job& job) {
  StopComputing(job);
  records_.SetState(job, JobState::kPaused, Reason::kUserRequest, "",
                    {.kind = rpc::RemedyKind::kResume, .job = job.definition.id});
  step_.Do(ReleaseJob{job.definition.id, /*end=*/0});
}

// Stops computing the job. Only its durable data remain.
void Endings::StopComputing(Job& job) {
  job.record.wall_seconds = records_.WallSeconds(job);
  // A rebind that did not take effect is forgotten.
  if (job.log.committed >= 0) job.record.contract = job.log.head.contract;
  open_units_.Drop(job);
  job.attestations.votes.clear();
  job.phase = Phase::kIdle;
  job.preparation.next.reset();
  job.saving.round = -1;
  job.saving.wanted = false;
  uses_.queue.Remove(job);
  for (auto& [id, session] : fleet_.sessions())
    session.notices.Committed(job.definition.id, INT64_MAX);
}

}  // namespace dl::master
