#include "master/core/job/recovered_job.h"

#include <utility>

namespace dl::master {

Job Restored(RecoveredJob recovered) {
  Job job;
  job.damage = std::move(recovered.damage);
  job.definition = std::move(recovered.definition);
  job.record = std::move(recovered.record);
  job.told = recovered.told;
  if (!job.damage.ok()) return job;
  job.word.unverified_since = std::move(recovered.unverified_since);
  job.begins_from_manifest = std::move(recovered.begins_from_manifest);
  for (CheckpointInfo& checkpoint : recovered.checkpoints) {
    const int64_t round = checkpoint.round;
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
