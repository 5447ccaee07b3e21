#include "master/core/machine/lifecycle.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/machine/machine.h"
#include "master/core/record_keys.h"
#include "master/core/records/job_record.h"
#include "master/core/records/report_record.h"

namespace dl::master {

void Lifecycle::PersistJob(const Job& job) {
  JobRecord record = job.record;
  record.wall_seconds = WallSeconds(job);
  step_.batch().Put(keys::Job(job.definition.id), RecordText(record));
}

void Lifecycle::PublishState(const Job& job) {
  step_.DoAhead(Publish{job.definition.id, job.at});
  step_.Do(Retire{job.definition.id, job.at});
}

void Lifecycle::SetState(Job& job, JobState state, Reason reason, std::string message) {
  job.record.state = state;
  job.record.reason = reason;
  job.record.message = std::move(message);
  job.record.ended_unix_ms = IsTerminal(state) ? step_.wall_unix_ms : 0;
  PersistJob(job);
  step_.EmitEvent(job, StateEvent{.state = state, .reason = reason, .message = job.record.message});
}

void Lifecycle::StartJob(Job& job) {
  jobs_.Touch(job);
  job.failed_under.clear();
  job.counts.started_at = step_.now;
  job.saving.last_at = step_.now;
  SetState(job, JobState::kStarting, Reason::kLoadingState, "");
  if (job.log.committed >= 0) {
    machine_.recovery.GoOn(job);
    return;
  }
  StatusOr<PrepareState> first = machine_.sources.FirstState(job);
  if (!first.ok()) {
    Fail(job, Reason::kStorage, first.status());
    return;
  }
  Prepare(job, *std::move(first));
}

void Lifecycle::Prepare(Job& job, PrepareState effect) {
  job.phase = Phase::kPreparing;
  job.preparation.source = effect.source;
  effect.number = job.preparation.number = NextPreparation();
  step_.Do(std::move(effect));
}

void Lifecycle::On(const StatePrepared& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kPreparing || event.number != job->preparation.number)
    return;
  if (job->stops()) {
    Stop(*job);
    return;
  }
  if (!event.status.ok()) {
    PreparationFailed(*job, event.round, event.status);
    return;
  }
  if (job->log.committed < 0) {
    LogRecord record{.type = RecordType::kStart,
                     .round = 0,
                     .contract = job->record.contract,
                     .names = event.names};
    record.place = machine_.logs.AppendRecord(*job, record);
    job->log.commits.emplace(0, record);
    job->log.committed = 0;
    // Keep a checkpoint, because the source of the job may be deleted later.
    if (job->preparation.source != PrepareState::Source::kInitial)
      machine_.checkpoints.RequestCheckpoint(*job);
  } else if (job->log.commits.at(event.round).names != event.names) {
    PreparationFailed(*job, event.round,
                      DataLoss({.message = absl::StrCat("it is not the state that round ",
                                                        event.round, " committed")}));
    return;
  }
  const LogRecord& commit = job->log.commits.at(event.round);
  job->at = event.round;
  job->names = event.names;
  job->epoch_hash_sum = commit.epoch_hash_sum;
  job->epoch_train = commit.epoch_train;
  PublishState(*job);
  if (job->replaying()) {
    machine_.recovery.BeginReplay(*job);
    return;
  }
  if (job->record.contract != job->log.head.contract) Rebind(*job);
  SetState(*job, JobState::kRunning, Reason::kNone, "");
  Advance(*job);
}

// The following rounds are computed under another kernel contract.
void Lifecycle::Rebind(Job& job) {
  machine_.logs.AppendRecord(
      job,
      {.type = RecordType::kRebind, .round = job.log.committed, .contract = job.record.contract});
}

// Tries the next source, with a warning.
void Lifecycle::PreparationFailed(Job& job, int64_t round, const Status& why) {
  const std::string name = absl::StrCat(job.definition.id, "@", round);
  if (job.log.committed < 0) {
    Fail(job, Reason::kStorage, WithContext(why, "making the first state"));
    return;
  }
  if (job.preparation.source == PrepareState::Source::kParts) {
    machine_.recovery.EndOffers(job);
    return;
  }
  step_.Warn(job,
             absl::StrCat("checkpoint ", name, " cannot be used: ", std::string(why.message())));
  if (auto found = job.checkpoints.find(round);
      found != job.checkpoints.end() &&
      job.preparation.source == PrepareState::Source::kCheckpoint) {
    found->second.unusable = true;
  }
  machine_.recovery.LoadNextCheckpoint(job);
}

void Lifecycle::Advance(Job& job) {
  if (job.stops()) {
    Finish(job);
    return;
  }
  // Depends on the state and not on the commit: a restart may come between them, or after rounds
  // that were committed while the checkpoint was being written.
  const bool keeps_this = job.LacksEpochEnd(job.at);
  if (keeps_this && job.saving.round != job.at) machine_.checkpoints.RequestCheckpoint(job);
  const bool evaluate =
      !job.replaying() && job.definition.test_examples > 0 && job.definition.EndsEpoch(job.at) &&
      !job.log.evaluations.contains(job.at) &&
      (job.definition.evaluate_every_epoch || job.at == job.definition.TotalRounds());
  if (evaluate) {
    machine_.evaluation.OpenEvaluation(job);
  } else if (!job.replaying() && job.finished()) {
    Finish(job);
  } else if (keeps_this && job.saving.wanted && job.saving.round >= 0) {
    job.phase = Phase::kCheckpointing;  // continues when the older checkpoint is written
    return;
  } else {
    machine_.rounds.OpenNextRound(job);
  }
  // If the epoch is evaluated, it is reported after the evaluation.
  if (!evaluate && !job.log.evaluations.contains(job.at) && job.definition.EndsEpoch(job.at) &&
      !job.replaying()) {
    step_.EmitEvent(job, EpochEvent{.epoch = job.definition.EpochOf(job.at) + 1,
                                    .epochs = job.definition.epochs,
                                    .round = job.at,
                                    .train = MakeMetricsView(job.epoch_train)});
  }
}

void Lifecycle::Finish(Job& job) {
  job.phase = Phase::kFinishing;
  machine_.rounds.DropUnits(job);
  if (job.saving.round >= 0) return;  // continues when it is written
  if (!job.replaying() && job.at >= 0 && !job.HasCheckpoint(job.at)) {
    job.saving.not_before = {};
    machine_.checkpoints.RequestCheckpoint(job);
    machine_.checkpoints.MaybeCheckpoint(job);
    return;
  }
  if (job.stops()) {
    Stop(job);
  } else {
    End(job, JobState::kSucceeded,
        job.log.stop_decided ? Reason::kEarlyStopping : Reason::kAllEpochsDone, absl::OkStatus());
  }
}

void Lifecycle::Stop(Job& job) {
  if (job.record.state == JobState::kCancelling) {
    End(job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
  } else {
    Rest(job);
  }
}

void Lifecycle::Rest(Job& job) {
  StopComputing(job);
  SetState(job, JobState::kPaused, Reason::kUserRequest,
           absl::StrCat("it goes on with: dl-submit resume ", job.definition.id));
  step_.Do(ReleaseJob{job.definition.id, /*end=*/0});
}

// Stops computing the job. Only its durable data remain.
void Lifecycle::StopComputing(Job& job) {
  job.record.wall_seconds = WallSeconds(job);
  // A rebind that did not take effect is forgotten.
  if (job.log.committed >= 0) job.record.contract = job.log.head.contract;
  machine_.rounds.DropUnits(job);
  job.attestations.votes.clear();
  job.phase = Phase::kIdle;
  job.preparation.next.reset();
  job.saving.round = -1;
  job.saving.wanted = false;
  machine_.queue.Remove(job);
  for (auto& [id, session] : fleet_.sessions())
    session.notices.Committed(job.definition.id, INT64_MAX);
}

void Lifecycle::End(Job& job, JobState state, Reason reason, Status error) {
  StopComputing(job);
  job.record.error = std::move(error);
  job.log.Close(job.checkpoints);
  job.end = jobs_.RecordEnd(job);
  step_.batch().MarkEssential();  // so that the reason is recorded even on a full disk
  SetState(job, state, reason, job.record.error.ok() ? "" : DescribeError(job.record.error));
  if (state == JobState::kSucceeded) {
    // It does not begin again, so its source and its first checkpoint may be deleted.
    machine_.sources.UpdateWantedSource(job);
    machine_.checkpoints.PruneCheckpoints(job);
  }
  PersistReports(job);
  step_.EmitEvent(job, ViewResult(job));
  step_.Do(ReleaseJob{job.definition.id, job.end});
  if (state == JobState::kSucceeded) machine_.queue.PredecessorSucceeded(job.definition.id);
}

// Complete answers, which the store returns without parsing (History). Later quarantines are added
// to them.
void Lifecycle::PersistReports(const Job& job) {
  ResultView result = MakeResultView(job, WallSeconds(job), /*quarantined=*/{});
  PersistReport(job, "result", ReportText(result));
  PersistReport(job, "job", ReportText(MakeJobView(job, std::move(result))));
  PersistCheckpointsReport(job);
}

void Lifecycle::PersistCheckpointsReport(const Job& job) {
  PersistReport(job, "checkpoints", ReportText(MakeCheckpointsView(job)));
}

void Lifecycle::PersistReport(const Job& job, const std::string& what, const std::string& report) {
  step_.batch().Put(keys::Ended(job.definition.id, what), EndedReportText(report));
}

void Lifecycle::On(const ShutdownRequested&) {
  incarnation_.stopping = true;
  for (auto& [id, job] : jobs_.live()) {
    if (job.live()) {
      job.saving.not_before = {};
      machine_.checkpoints.RequestCheckpoint(job);
      PersistJob(job);
      jobs_.Touch(job);
    }
  }
}

double Lifecycle::WallSeconds(const Job& job) const {
  return job.record.wall_seconds + (job.live() ? Seconds(step_.now - job.counts.started_at) : 0.0);
}

ResultView Lifecycle::ViewResult(const Job& job) const {
  return MakeResultView(job, WallSeconds(job), fleet_.quarantined());
}

}  // namespace dl::master
