// A job's life from submission to its end.
#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "master/core/core.h"
#include "master/core/keys.h"
#include "master/core/reports.h"

namespace dl::master {
namespace {

// A job's id: its name and the master's count of jobs, so that people can tell and type it.
std::string MakeJobId(const std::string& name, uint64_t number) {
  return absl::StrCat(name, "-", number);
}

}  // namespace

void Core::On(const Asked<Submission>& event) {
  const Submission& submission = event.request;
  if (auto known = request_answers_.find(submission.request_id); known != request_answers_.end()) {
    const Job* job = FindJob(known->second);
    AnswerWith(event.token, absl::OkStatus(),
               job == nullptr ? rpc::SubmitReply{known->second} : Submitted(*job));
    return;
  }
  if (submission.request_id.empty()) {
    AnswerWith(event.token, InvalidArgument({.message = "a submission needs a request id",
                                             .where = "request_id"}));
    return;
  }
  if (stopping_) {
    AnswerWith(event.token, Unavailable({.message = "the master is stopping",
                                         .remedy = "Submit again when it is back"}));
    return;
  }
  if (static_cast<int64_t>(queue_.size()) >= options_.max_queued_jobs) {
    AnswerWith(event.token, ResourceExhausted(
                                {.message = absl::StrCat(queue_.size(), " jobs are queued already"),
                                 .remedy = "Wait for some to finish, or cancel some"}));
    return;
  }
  const uint64_t number = ++jobs_created_;
  Job job;
  job.definition = submission.definition;
  job.definition.id = MakeJobId(job.definition.name, number);
  const std::string id = job.definition.id;
  job.record.submitted_unix_ms = wall_unix_ms_;
  job.record.resume_from = submission.resume_from;
  job.record.init_from = submission.init_from;
  const int64_t needed = job.definition.MasterBytes(options_.staging_bytes);
  if (needed > options_.memory_bytes) {
    AnswerWith(event.token,
               InvalidArgument(
                   {.message = absl::StrCat("the job needs ", needed >> 20,
                                            " MiB in the master, which has a budget of ",
                                            options_.memory_bytes >> 20, " MiB"),
                    .where = "training.workers",
                    .remedy = "Use fewer workers or a smaller model, or start the master with a "
                              "larger --memory"}));
    --jobs_created_;
    return;
  }
  if (const Status fits = FitsAnywhere(job.definition); !fits.ok()) {
    AnswerWith(event.token, fits);
    --jobs_created_;
    return;
  }
  RememberEnded(submission.source);
  if (const Status taken = TakeSource(job); !taken.ok()) {
    AnswerWith(event.token, taken);
    --jobs_created_;
    return;
  }
  out_->batch.Put(keys::kJobsCreated, absl::StrCat(jobs_created_));
  out_->batch.Put(keys::Number(number), id);
  out_->batch.Put(keys::Spec(id), submission.spec);
  out_->batch.Put(keys::TrainManifest(id), submission.train_manifest);
  if (!submission.test_manifest.empty())
    out_->batch.Put(keys::TestManifest(id), submission.test_manifest);
  RememberAnswer(submission.request_id, id);
  auto [place, inserted] = jobs_.emplace(id, std::move(job));
  DL_CHECK(inserted);
  queue_.push_back(id);
  queue_changed_ = true;
  Touch(place->second);
  NoteWanted(place->second);
  SetState(place->second, JobState::kQueued, Reason::kNone, "");
  (void)BindContract(place->second);  // else when executors are there
  AnswerWith(event.token, absl::OkStatus(), Submitted(place->second));
}

void Core::SetState(Job& job, JobState state, Reason reason, std::string message) {
  job.record.state = state;
  job.record.reason = reason;
  job.record.message = std::move(message);
  PersistJob(job);
  EmitEvent(job, {{"type", "state"},
                  {"state", JobStateName(state)},
                  {"reason", ReasonName(reason)},
                  {"message", job.record.message}});
}

void Core::StartQueuedJobs() {
  queue_due_ = Instant::Max();
  if (stopping_ || queue_.empty()) return;
  // Oldest first; a job that waits for its executors does not hold up the ones behind it.
  int64_t running = 0, memory = 0;
  const auto count = [&](const Job& job) {
    if (!job.live()) return;
    if (!LacksExecutors(job)) ++running;
    memory += job.definition.MasterBytes(options_.staging_bytes);
  };
  for (const auto& [id, job] : jobs_) count(job);
  for (const std::string& id : std::exchange(queue_, {})) {
    Job& job = jobs_.at(id);
    Lack lack;
    if (running >= options_.max_running_jobs) {
      lack = {Reason::kWaitingForJobs,
              absl::StrCat("this one starts when one of the ", running, " before it ends")};
    } else if (memory > 0 && memory + job.definition.MasterBytes(options_.staging_bytes) >
                                 options_.memory_bytes) {
      lack = {Reason::kWaitingForMemory, "the running jobs use the master's memory budget"};
    } else if (!BindContract(job)) {
      lack = WhyUnbound(job);
      for (const auto& [session_id, session] : sessions_) {
        const Instant decided = ContractDecidedAt(session.joined);
        if (decided > came_) queue_due_ = std::min(queue_due_, decided);
      }
    }
    if (lack.reason != Reason::kNone) {
      const bool told =
          job.record.reason == lack.reason && lack.reason != Reason::kWaitingForLargerExecutors;
      if (!told) WaitFor(job, JobState::kQueued, lack);
      queue_.push_back(id);
      continue;
    }
    StartJob(job);
    count(job);
  }
}

void Core::StartJob(Job& job) {
  Touch(job);
  job.started_at = now_;
  job.last_checkpoint_at = now_;
  SetState(job, JobState::kStarting, Reason::kLoadingState, "");
  if (job.committed >= 0) {
    GoOn(job);
    return;
  }
  StatusOr<PrepareState> first = FirstState(job);
  if (!first.ok()) {
    Fail(job, Reason::kStorage, first.status());
    return;
  }
  Prepare(job, *std::move(first));
}

void Core::Prepare(Job& job, PrepareState effect) {
  job.phase = Phase::kPreparing;
  job.preparing = effect.source;
  effect.number = job.preparation = next_preparation_++;
  out_->effects.push_back(std::move(effect));
}

void Core::On(const StatePrepared& event) {
  Job* job = FindJob(event.job);
  if (job == nullptr || job->phase != Phase::kPreparing || event.number != job->preparation) return;
  if (job->record.state == JobState::kCancelling) {
    End(*job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
    return;
  }
  if (!event.status.ok()) {
    PreparationFailed(*job, event.round, event.status);
    return;
  }
  if (job->committed < 0) {
    LogRecord record{.type = RecordType::kStart,
                     .round = 0,
                     .contract = job->record.contract,
                     .names = event.names};
    record.place = AppendRecord(*job, record);
    job->commits.emplace(0, record);
    job->committed = 0;
    // What it began from may be deleted one day.
    if (job->preparing != PrepareState::Source::kInitial) RequestCheckpoint(*job);
  } else if (job->commits.at(event.round).names != event.names) {
    PreparationFailed(*job, event.round,
                      DataLoss({.message = absl::StrCat("it is not the state that round ",
                                                        event.round, " committed")}));
    return;
  }
  const LogRecord& commit = job->commits.at(event.round);
  job->at = event.round;
  job->names = event.names;
  job->epoch_hash_sum = commit.epoch_hash_sum;
  job->epoch_train = commit.epoch_train;
  PublishState(*job);
  if (job->record.contract != job->head.contract && !Rebind(*job)) return;
  if (job->replaying()) {
    BeginReplay(*job);
    return;
  }
  SetState(*job, JobState::kRunning, Reason::kNone, "");
  Advance(*job);
}

// From here on the rounds are computed under another kernel contract. False: impossible, the job
// failed.
bool Core::Rebind(Job& job) {
  if (job.replaying()) {
    job.record.contract = job.head.contract;
    Fail(job, Reason::kStorage,
         FailedPrecondition({.message = absl::StrCat(
                                 "the state of round ", job.committed,
                                 " is not there, and rounds before it cannot be computed again "
                                 "under another kernel contract"),
                             .where = job.definition.id,
                             .remedy = absl::StrCat("Start a new job with --resume-from ",
                                                    job.definition.id, "@", job.at)}));
    return false;
  }
  AppendRecord(
      job, {.type = RecordType::kRebind, .round = job.committed, .contract = job.record.contract});
  return true;
}

// The next best source, loudly.
void Core::PreparationFailed(Job& job, int64_t round, const Status& why) {
  const std::string name = absl::StrCat(job.definition.id, "@", round);
  if (job.committed < 0) {
    Fail(job, Reason::kStorage, WithContext(why, "making the first state"));
    return;
  }
  if (job.preparing == PrepareState::Source::kParts) {
    EndOffers(job);
    return;
  }
  EmitEvent(job, {{"type", "warning"},
                  {"message", absl::StrCat("checkpoint ", name,
                                           " cannot be used: ", std::string(why.message()))}});
  if (auto found = job.checkpoints.find(round);
      found != job.checkpoints.end() && job.preparing == PrepareState::Source::kCheckpoint) {
    found->second.unusable = true;
  }
  LoadNextCheckpoint(job);
}

void Core::Advance(Job& job) {
  if (job.record.state == JobState::kCancelling) {
    Finish(job);
    return;
  }
  // Asked of the state, not of the commit: a restart may lie between them, and behind rounds that
  // were committed while the checkpoint was being written.
  const bool keeps_this = job.LacksEpochEnd(job.at);
  if (keeps_this && job.writing_checkpoint != job.at) RequestCheckpoint(job);
  const bool evaluate =
      !job.replaying() && job.definition.test_examples > 0 && job.definition.EndsEpoch(job.at) &&
      !job.evaluations.contains(job.at) &&
      (job.definition.evaluate_every_epoch || job.at == job.definition.TotalRounds());
  if (evaluate) {
    OpenEvaluation(job);
  } else if (!job.replaying() && job.finished()) {
    Finish(job);
  } else if (keeps_this && job.checkpoint_wanted && job.writing_checkpoint >= 0) {
    job.phase = Phase::kCheckpointing;  // comes back when the older one is written
    return;
  } else {
    OpenNextRound(job);
  }
  // An epoch with an evaluation is told of when that is done.
  if (!evaluate && !job.evaluations.contains(job.at) && job.definition.EndsEpoch(job.at) &&
      !job.replaying()) {
    Json train = {{"loss", job.epoch_train.loss()}};
    if (job.epoch_train.has_accuracy()) train["accuracy"] = job.epoch_train.accuracy();
    EmitEvent(job, {{"type", "epoch"},
                    {"epoch", job.definition.EpochOf(job.at) + 1},
                    {"epochs", job.definition.epochs},
                    {"round", job.at},
                    {"train", train}});
  }
}

// The last thing of a run, and of a cancelled one: its state, durable.
void Core::Finish(Job& job) {
  job.phase = Phase::kFinishing;
  AbandonUnits(job);
  job.units.clear();
  job.UnitsChanged();
  Touch(job);
  if (job.writing_checkpoint >= 0) return;  // comes back when it is written
  const bool cancelled = job.record.state == JobState::kCancelling;
  if (!job.replaying() && job.at >= 0 && !job.HasCheckpoint(job.at)) {
    RequestCheckpoint(job);
    MaybeCheckpoint(job);
    return;
  }
  if (cancelled) {
    End(job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
  } else {
    End(job, JobState::kSucceeded,
        job.stop_decided ? Reason::kEarlyStopping : Reason::kAllEpochsDone, absl::OkStatus());
  }
}

void Core::End(Job& job, JobState state, Reason reason, Status error) {
  job.record.error = std::move(error);
  job.record.wall_seconds = WallSeconds(job);
  // A rebind that did not come about is forgotten.
  if (job.committed >= 0) job.record.contract = job.head.contract;
  AbandonUnits(job);
  job.units.clear();
  job.UnitsChanged();
  Touch(job);
  job.votes.clear();
  job.phase = Phase::kIdle;
  job.writing_checkpoint = -1;
  job.checkpoint_wanted = false;
  std::erase(queue_, job.definition.id);
  queue_changed_ = true;
  job.CloseLog();
  job.end = next_end_++;
  out_->batch.MarkEssential();  // why a job stopped is recorded on a full disk too
  SetState(job, state, reason, job.record.error.ok() ? "" : DescribeError(job.record.error));
  Json result = ResultEvent(job);
  const Json told = {
      {"format", 2}, {"result", result}, {"job", JobReport(job, result, Excluded())}};
  out_->batch.Put(keys::Ended(job.definition.id), JsonText(told));
  EmitEvent(job, std::move(result));
  for (auto& [id, session] : sessions_) session.notices.Committed(job.definition.id, INT64_MAX);
  out_->effects.push_back(ReleaseJob{job.definition.id, job.end});
  just_ended_.push_back(job.definition.id);
}

void Core::On(const ShutdownRequested&) {
  stopping_ = true;
  for (auto& [id, job] : jobs_) {
    if (job.live()) {
      RequestCheckpoint(job);
      PersistJob(job);
      Touch(job);
    }
  }
}

}  // namespace dl::master
