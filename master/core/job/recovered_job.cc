#include "master/core/job/recovered_job.h"

#include <chrono>
#include <utility>

namespace dl::master {

Job Restored(RecoveredJob recovered) {
  Job job;
  job.damage = std::move(recovered.damage);
  job.definition = std::move(recovered.definition);
  job.record = std::move(recovered.record);
  job.duration_stats.judged_by = std::chrono::milliseconds(job.record.unit_ms);
  job.event_sequence = recovered.event_sequence;
  job.series.Restore(std::move(recovered.series));
  job.series.failed = recovered.series_damaged;
  job.timeline = std::move(recovered.timeline);
  if (!job.damage.ok()) return job;
  job.attestations = std::move(recovered.attestations);
  job.begins_from_manifest = std::move(recovered.begins_from_manifest);
  for (CheckpointInfo& checkpoint : recovered.checkpoints) {
    const int64_t round = checkpoint.round, rollback = checkpoint.set_aside;
    if (rollback > 0)
      job.set_aside.emplace(std::pair(round, rollback), std::move(checkpoint));
    else
      job.checkpoints.emplace(round, std::move(checkpoint));
  }
  job.log.Take(std::move(recovered.log), job.checkpoints);
  if (const LogRecord* last = job.log.LastCommit(); last != nullptr) {
    job.epoch_train = last->epoch_train;
    job.names = last->names;
  }
  if (IsTerminal(job.record.state)) {
    job.at = job.log.committed;
    job.log.Close(job.checkpoints);
  }
  return job;
}

}  // namespace dl::master
