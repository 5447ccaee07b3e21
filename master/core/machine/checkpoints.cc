#include "master/core/machine/checkpoints.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"

namespace dl::master {

void Checkpoints::RequestCheckpoint(Job& job) { job.saving.wanted = true; }

void Checkpoints::MaybeCheckpoint(Job& job) {
  if (job.phase == Phase::kIdle || job.phase == Phase::kPreparing || job.at < 0) return;
  if (job.replaying() && !job.LacksEpochEnd(job.at)) return;
  const CheckpointPolicy& policy = job.definition.checkpoint;
  if (policy.every > Duration{} && step_.now - job.saving.last_at >= policy.every)
    job.saving.wanted = true;
  if (!job.saving.wanted || job.saving.round >= 0 || step_.now < job.saving.not_before) return;
  job.saving.wanted = false;
  job.saving.last_at = step_.now;
  if (job.HasCheckpoint(job.at)) return;
  job.saving.round = job.at;
  job.saving.written = {.round = job.at,
                        .names = job.names,
                        .place = job.log.PlaceOf(job.at),
                        .evaluation = job.log.EvaluationUpTo(job.at),
                        .kernel_contract = job.log.head.ContractOf(job.at)};
  // Written while the round's commit is written. Nothing names the chunks before their own record,
  // which follows the commit; unnamed chunks are deleted at a start. If the master stops, its
  // records are written first.
  WriteCheckpoint write{job.definition.id, job.at, job.names.state_sha256};
  if (incarnation_.stopping)
    step_.Do(std::move(write));
  else
    step_.DoAhead(std::move(write));
}

Job* Checkpoints::EndWriting(const CheckpointWritten& event) {
  Job* job = jobs_.Find(event.job);
  const bool awaited = job != nullptr && job->saving.round == event.round &&
                       job->saving.written.names.state_sha256 == event.state_sha256;
  if (!awaited) {
    // The job ended or rolled back meanwhile, so no record will name the checkpoint.
    if (event.status.ok()) step_.Do(DeleteCheckpoint{event.job, event.round, event.manifest});
    return nullptr;
  }
  job->saving.round = -1;
  return job;
}

void Checkpoints::RecordWritten(Job& job, const CheckpointWritten& event) {
  job.saving.lacks_space = false;
  CheckpointInfo info = std::move(job.saving.written);
  info.manifest = event.manifest;
  if (auto old = job.checkpoints.find(event.round); old != job.checkpoints.end()) {
    info.pinned = old->second.pinned;
    step_.Do(DeleteCheckpoint{event.job, event.round, old->second.manifest});
  }
  records_.PersistCheckpoint(job, info);
  job.checkpoints.insert_or_assign(event.round, info);
  uses_.sources.UpdateWantedSource(job);
  records_.PersistJob(job);
  step_.EmitEvent(job,
                  CheckpointEvent{.round = event.round, .state_sha256 = info.names.state_sha256});
  PruneCheckpoints(job);
}

// Stores the evaluation of the state of `at` in its checkpoint, because the log's record may be out
// of memory later.
void Checkpoints::RecordEvaluation(Job& job) {
  const LogRecord& evaluation = job.log.evaluations.at(job.at);
  if (job.saving.round == job.at) job.saving.written.evaluation = evaluation;
  const auto found = job.checkpoints.find(job.at);
  if (found == job.checkpoints.end()) return;
  found->second.evaluation = evaluation;
  records_.PersistCheckpoint(job, found->second);
}

void Checkpoints::PruneCheckpoints(Job& job) {
  if (job.phase == Phase::kPreparing) return;  // a checkpoint is being read
  Found found;
  PruneSetAside(job, found);
  for (const int64_t round : CheckpointsToDelete(job)) {
    if (Delete({.job = job.definition.id, .round = round}, job.checkpoints.at(round), found))
      job.checkpoints.erase(round);
  }
  RecordDue(job.definition.id, found.left);
  if (found.deleted && IsTerminal(job.record.state)) records_.PersistCheckpointsReport(job);
}

void Checkpoints::PruneAgain(Job& job) {
  due_.insert(job.definition.id);  // perhaps of an earlier process
  PruneCheckpoints(job);
}

bool Checkpoints::Delete(const CheckpointName& name, const CheckpointInfo& info, Found& found) {
  if (IsNeeded(name)) {
    found.left = true;
    return false;
  }
  step_.batch().Delete(name.set_aside > 0 ? keys::SetAside(name.job, name.round, name.set_aside)
                                          : keys::Checkpoint(name.job, name.round));
  step_.Do(DeleteCheckpoint{name.job, name.round, info.manifest});
  being_read_.erase(name);
  counted_.erase(name);
  found.deleted = true;
  return true;
}

void Checkpoints::RecordDue(const std::string& job, bool is_left) {
  if (is_left && due_.insert(job).second) step_.batch().Put(keys::DueCheckpoints(job), "");
  if (!is_left && due_.erase(job) > 0) step_.batch().Delete(keys::DueCheckpoints(job));
}

void Checkpoints::SetAside(Job& job, CheckpointInfo checkpoint) {
  const std::string& id = job.definition.id;
  const CheckpointName before{.job = id, .round = checkpoint.round};
  const CheckpointName after{
      .job = id, .round = checkpoint.round, .set_aside = job.record.rollbacks};
  checkpoint.set_aside = after.set_aside;
  checkpoint.set_aside_unix_ms = step_.wall_unix_ms;
  counted_[after] = step_.now;
  step_.batch().Delete(keys::Checkpoint(id, checkpoint.round));
  step_.batch().Put(keys::SetAside(id, checkpoint.round, after.set_aside), RecordText(checkpoint));
  if (auto reading = being_read_.extract(before); !reading.empty()) {
    reading.key() = after;
    being_read_.insert(std::move(reading));
  }
  uses_.sources.Rename(ToString(before), ToString(after));
  if (!checkpoint.pinned) RecordDue(id, true);
  job.set_aside.insert_or_assign({checkpoint.round, after.set_aside}, std::move(checkpoint));
}

// Only the running time of masters counts, so a wall clock that jumps deletes nothing.
Duration Checkpoints::CountTimeSetAside(const Job& job, CheckpointInfo& info) {
  using Milliseconds = std::chrono::milliseconds;
  const CheckpointName name{job.definition.id, info.round, info.set_aside};
  const auto counted = counted_.find(name);
  const Duration added =
      step_.now - (counted == counted_.end() ? incarnation_.began : counted->second);
  const Duration time = Milliseconds(info.set_aside_run_ms) + added;
  if (added < kTimeNotStored) return time;
  info.set_aside_run_ms = time / Milliseconds(1);
  counted_[name] = step_.now;
  records_.PersistCheckpoint(job, info);
  return time;
}

void Checkpoints::PruneSetAside(Job& job, Found& found) {
  for (auto it = job.set_aside.begin(); it != job.set_aside.end();) {
    CheckpointInfo& info = it->second;
    const CheckpointName name{job.definition.id, info.round, info.set_aside};
    const bool stays = CountTimeSetAside(job, info) < incarnation_.options.set_aside_stays;
    found.left |= stays && !info.pinned;
    if (stays || info.pinned || !Delete(name, info, found))
      ++it;
    else
      it = job.set_aside.erase(it);
  }
}

void Checkpoints::On(const CheckpointRead& event) {
  Reading& reading = being_read_[event.checkpoint];
  std::erase_if(reading.readers, [&](const auto& reader) { return reader.second <= step_.now; });
  const bool has_place =
      reading.readers.contains(event.reader) || std::ssize(reading.readers) < kMostReaders;
  reading.readers.insert_or_assign(has_place ? event.reader : 0,
                                   step_.now + incarnation_.options.read_checkpoint_stays);
  Schedule(reading);
}

void Checkpoints::On(const ReadEnded& event) {
  if (event.reader == 0) return;
  const CheckpointName& name = event.checkpoint;
  bool has_ended = false;
  for (auto read = being_read_.lower_bound({.job = name.job, .round = name.round});
       read != being_read_.end() && read->first.job == name.job && read->first.round == name.round;
       ++read) {
    if (read->second.readers.erase(event.reader) == 0) continue;
    Schedule(read->second);
    has_ended = true;
  }
  if (has_ended) EndReads();
}

void Checkpoints::Schedule(Reading& reading) const {
  reading.until = step_.now;
  for (const auto& [reader, until] : reading.readers)
    reading.until = std::max(reading.until, until);
  reading.due = reading.until;
  if (reading.ends && step_.now < *reading.ends) reading.due = std::min(reading.due, *reading.ends);
}

bool Checkpoints::IsNeeded(const CheckpointName& name) {
  const auto reading = being_read_.find(name);
  const bool is_read = reading != being_read_.end() && StaysForReaders(reading->second);
  return is_read || uses_.sources.IsWantedElsewhere(ToString(name));
}

bool Checkpoints::StaysForReaders(Reading& reading) const {
  if (reading.until <= step_.now) return false;
  if (!reading.ends) reading.ends = step_.now + kLongestRead;
  return step_.now < *reading.ends;
}

void Checkpoints::EndReads() {
  std::set<std::string> jobs;
  for (auto read = being_read_.begin(); read != being_read_.end();) {
    Reading& reading = read->second;
    if (step_.now < reading.due) {
      ++read;
      continue;
    }
    jobs.insert(read->first.job);
    const bool goes_on = step_.now < reading.until;
    reading.due = goes_on ? reading.until : Instant::Max();
    // Keep the entry, so that a reader that pauses does not get another kLongestRead.
    read = goes_on || reading.ends ? std::next(read) : being_read_.erase(read);
  }
  for (const std::string& id : jobs) {
    if (Job* job = jobs_.Find(id); job != nullptr && job->damage.ok()) PruneCheckpoints(*job);
  }
}

Instant Checkpoints::FirstReadEnds() const {
  Instant first = Instant::Max();
  for (const auto& [checkpoint, reading] : being_read_) first = std::min(first, reading.due);
  return first;
}

std::optional<CheckpointName> Checkpoints::KeptForReaders(const std::string& job) {
  std::optional<CheckpointName> kept;
  for (auto read = being_read_.lower_bound({.job = job});
       read != being_read_.end() && read->first.job == job; ++read) {
    if (StaysForReaders(read->second)) kept = read->first;
  }
  return kept;
}

void Checkpoints::Forget(const std::string& job) {
  const auto is_of_job = [&](const auto& entry) { return entry.first.job == job; };
  std::erase_if(being_read_, is_of_job);
  std::erase_if(counted_, is_of_job);
  due_.erase(job);
}

}  // namespace dl::master
