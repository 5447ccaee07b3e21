// Checkpoints: when one is written, and which ones stay.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"
#include "master/core/keys.h"

namespace dl::master {

void Core::RequestCheckpoint(Job& job) { job.checkpoint_wanted = true; }

void Core::MaybeCheckpoint(Job& job) {
  if (job.phase == Phase::kIdle || job.phase == Phase::kPreparing || job.at < 0) return;
  if (job.replaying() && !job.LacksEpochEnd(job.at)) return;
  const CheckpointPolicy& policy = job.definition.checkpoint;
  if (policy.every > Duration{} && now_ - job.last_checkpoint_at >= policy.every)
    job.checkpoint_wanted = true;
  if (!job.checkpoint_wanted || job.writing_checkpoint >= 0) return;
  job.checkpoint_wanted = false;
  job.last_checkpoint_at = now_;
  if (job.HasCheckpoint(job.at)) return;
  job.writing_checkpoint = job.at;
  out_->effects.push_back(WriteCheckpoint{job.definition.id, job.at, job.names.state_sha256});
}

void Core::On(const CheckpointWritten& event) {
  Job* job = FindJob(event.job);
  const bool awaited = job != nullptr && job->writing_checkpoint == event.round &&
                       job->commits.at(event.round).names.state_sha256 == event.state_sha256;
  if (!awaited) {
    // The job ended or went back meanwhile: nothing will ever name it.
    if (event.status.ok())
      out_->effects.push_back(DeleteCheckpoint{event.job, event.round, event.manifest});
    return;
  }
  job->writing_checkpoint = -1;
  if (!event.status.ok()) {
    const Status error =
        WithContext(event.status, absl::StrCat("writing checkpoint ", event.job, "@", event.round));
    Fail(*job, Reason::kStorage, error);
    return;
  }
  CheckpointInfo info{.round = event.round,
                      .names = job->commits.at(event.round).names,
                      .manifest = event.manifest};
  if (auto old = job->checkpoints.find(event.round); old != job->checkpoints.end()) {
    info.pinned = old->second.pinned;
    out_->effects.push_back(DeleteCheckpoint{event.job, event.round, old->second.manifest});
  }
  out_->batch.Put(keys::Checkpoint(event.job, event.round), JsonText(ToJson(info)));
  job->checkpoints.insert_or_assign(event.round, info);
  PersistJob(*job);
  EmitEvent(*job, {{"type", "checkpoint"},
                   {"checkpoint", absl::StrCat(event.job, "@", event.round)},
                   {"round", event.round},
                   {"state_sha256", info.names.state_sha256}});
  PruneCheckpoints(*job);
  if (job->phase == Phase::kFinishing) {
    Finish(*job);
  } else if (job->phase == Phase::kCheckpointing) {
    MaybeCheckpoint(*job);
    Advance(*job);
  }
}

void Core::PruneCheckpoints(Job& job) {
  if (job.phase == Phase::kPreparing) return;  // one of them is being read
  for (int64_t round : CheckpointsToDelete(job)) {
    if (job.being_read.contains(round) || IsWantedElsewhere(job, round)) continue;
    out_->batch.Delete(keys::Checkpoint(job.definition.id, round));
    out_->effects.push_back(
        DeleteCheckpoint{job.definition.id, round, job.checkpoints.at(round).manifest});
    job.checkpoints.erase(round);
  }
}

void Core::On(const CheckpointRead& event) {
  Job* job = FindJob(event.job);
  if (job != nullptr && job->checkpoints.contains(event.round))
    job->being_read[event.round] = now_ + options_.read_checkpoint_stays;
}

void Core::EndReads(Job& job) {
  const auto over = [this](const auto& read) { return now_ >= read.second; };
  if (std::erase_if(job.being_read, over) > 0) PruneCheckpoints(job);
}

// Another job begins from it and has no checkpoint of its own yet. One that was cancelled or failed
// before its start may be resumed.
bool Core::IsWantedElsewhere(const Job& job, int64_t round) const {
  const std::string name = absl::StrCat(job.definition.id, "@", round);
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    const Job& other = entry.second;
    const bool begins_from = other.record.resume_from == name || other.record.init_from == name;
    return begins_from && other.record.state != JobState::kSucceeded && other.checkpoints.empty();
  });
}

}  // namespace dl::master
