#include "master/core/machine/lifecycle.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/system_error.h"

namespace dl::master {

void Lifecycle::PublishState(const Job& job) {
  step_.DoAhead(Publish{job.definition.id, job.at});
  step_.Do(Retire{job.definition.id, job.at});
}

void Lifecycle::Advance(Job& job) {
  if (job.stops()) {
    Finish(job);
    return;
  }
  // Depends on the state and not on the commit: a restart may come between them, or after rounds
  // that were committed while the checkpoint was being written.
  const bool keeps_this = job.LacksEpochEnd(job.at);
  if (keeps_this && job.saving.round != job.at) uses_.checkpoints.RequestCheckpoint(job);
  const bool evaluate =
      !job.replaying() && job.definition.test_examples > 0 && job.definition.EndsEpoch(job.at) &&
      !job.log.evaluations.contains(job.at) &&
      (job.definition.evaluate_every_epoch || job.at == job.definition.TotalRounds());
  if (evaluate) {
    uses_.evaluation.OpenEvaluation(job);
  } else if (!job.replaying() && job.finished()) {
    Finish(job);
  } else if (keeps_this && job.saving.wanted && job.saving.round >= 0) {
    job.phase = Phase::kCheckpointing;  // continues when the older checkpoint is written
    return;
  } else {
    uses_.opening.OpenNextRound(job);
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
  open_units_.Drop(job);
  if (job.saving.round >= 0) return;  // continues when it is written
  if (!job.replaying() && job.at >= 0 && !job.HasCheckpoint(job.at)) {
    job.saving.not_before = {};
    uses_.checkpoints.RequestCheckpoint(job);
    uses_.checkpoints.MaybeCheckpoint(job);
    return;
  }
  if (job.stops()) {
    uses_.endings.Stop(job);
  } else {
    uses_.endings.End(job, JobState::kSucceeded,
                      job.log.stop_decided ? Reason::kEarlyStopping : Reason::kAllEpochsDone,
                      absl::OkStatus());
  }
}

void Lifecycle::On(const ShutdownRequested&) {
  incarnation_.stopping = true;
  for (auto& [id, job] : jobs_.live()) {
    if (job.active()) {
      job.saving.not_before = {};
      uses_.checkpoints.RequestCheckpoint(job);
      records_.PersistJob(job);
      jobs_.Touch(job);
    }
  }
}

void Lifecycle::On(const CheckpointWritten& event) {
  Job* job = uses_.checkpoints.EndWriting(event);
  if (job == nullptr) return;
  if (!event.status.ok()) {
    const Status error =
        WithContext(event.status, absl::StrCat("writing checkpoint ", event.job, "@", event.round));
    if (absl::IsResourceExhausted(event.status) || IsShortage(event.status)) {
      RetryLater(*job, error);
    } else {
      uses_.endings.Fail(*job, Reason::kStorage, error);
    }
    return;
  }
  uses_.checkpoints.RecordWritten(*job, event);
  if (job->phase == Phase::kFinishing) {
    Finish(*job);
  } else if (job->phase == Phase::kCheckpointing) {
    uses_.checkpoints.MaybeCheckpoint(*job);
    Advance(*job);
  }
}

bool Lifecycle::LacksResources(Job& job, const Status& status, std::string_view what) {
  const bool lacks = IsShortage(status);
  if (std::exchange(job.lacks_resources, lacks) || !lacks) return lacks;
  step_.Warn(job, absl::StrCat("the job waits, because the master lacks open files or memory: ",
                               DescribeError(WithContext(status, what)),
                               ". It is tried again until it succeeds or the job is cancelled"));
  return true;
}

// A full disk and a shortage of files are no fault of the job. The job continues to train and
// retries with a later round. A job at its end waits; a job that has to stop does so with the
// checkpoints that it has.
void Lifecycle::RetryLater(Job& job, const Status& why) {
  const bool stops = job.phase == Phase::kFinishing && job.stops();
  if (!std::exchange(job.saving.lacks_space, true)) {
    step_.Warn(job,
               absl::StrCat(
                   DescribeError(why),
                   stops ? ". The job stops without this checkpoint"
                         : absl::StrCat(". The checkpoint is tried again every ",
                                        Checkpoints::kSpacePause / std::chrono::seconds(1), " s")));
  }
  if (stops) return uses_.endings.Stop(job);
  job.saving.wanted = true;
  job.saving.not_before = step_.now + Checkpoints::kSpacePause;
  if (job.phase == Phase::kCheckpointing) Advance(job);
}

}  // namespace dl::master
