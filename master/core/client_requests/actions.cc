// Actions of users on existing jobs: cancel, pause, resume, checkpoint, pin, delete.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "master/core/client_requests/client_requests.h"
#include "master/core/job/checkpoint_name.h"
#include "master/core/record_keys.h"
#include "storage/series/series_records.h"
#include "storage/timeline/timeline_records.h"

namespace dl::master {
namespace {

std::string StateOf(const Job& job) { return std::string(JobStateName(job.record.state)); }

// Returns an error about the state of the job `id`.
Status NotPossible(const std::string& id, ErrorText text, const rpc::Remedy& remedy) {
  text.where = id;
  return rpc::AttachRemedy(FailedPrecondition(std::move(text)), remedy);
}

// Returns an error unless the job belongs to the caller or the caller is an admin.
Status CheckMayAct(const security::Identity& who, const Job& job) {
  if (who.role == security::Role::kAdmin || who.owner == job.record.owner) return absl::OkStatus();
  return Denied({.message = absl::StrCat(job.definition.id, " belongs to ",
                                         job.record.owner.empty() ? "no owner" : job.record.owner,
                                         ": only its owner and admins may change it"),
                 .where = job.definition.id,
                 .remedy = "Ask them, or submit it again as your own job"});
}

// Returns an error if the job changed since retention read its end, so that it must stay.
Status CheckExpired(const Job& job, std::optional<int64_t> expired_end_unix_ms) {
  if (!expired_end_unix_ms) return absl::OkStatus();
  const std::string& id = job.definition.id;
  if (job.record.ended_unix_ms != *expired_end_unix_ms) {
    return FailedPrecondition(
        {.message = absl::StrCat(id, " was resumed and ended again, so it is not expired"),
         .where = id});
  }
  return absl::OkStatus();
}

// Returns an error that names the pinned checkpoints of the job after `round`, if it has any.
Status CheckNonePinnedAfter(int64_t round, const Job& job) {
  constexpr size_t kMostNamed = 5;
  const std::string& id = job.definition.id;
  std::vector<std::string> pinned;
  for (const auto& [number, checkpoint] : job.checkpoints) {
    if (checkpoint.pinned && number > round) pinned.push_back(ToString(CheckpointName{id, number}));
  }
  for (const auto& [name, checkpoint] : job.set_aside) {
    if (checkpoint.pinned && name.first > round)
      pinned.push_back(ToString(CheckpointName{id, name.first, name.second}));
  }
  if (pinned.empty()) return absl::OkStatus();
  const size_t named = std::min(pinned.size(), kMostNamed);
  const std::string more =
      pinned.size() > named ? absl::StrCat(" and ", pinned.size() - named, " more") : "";
  return FailedPrecondition(
      {.message = absl::StrCat(absl::StrJoin(pinned.begin(), pinned.begin() + named, ", "), more,
                               pinned.size() == 1 ? " is pinned, so the job is not deleted"
                                                  : " are pinned, so the job is not deleted"),
       .where = id,
       .remedy = "Delete pinned checkpoints too with delete --pinned (REST: ?pinned=1), or unpin "
                 "them first"});
}

Status CheckIsa(const rpc::JobActionRequest& request, const JobDefinition& definition) {
  if (request.isa.empty()) return absl::OkStatus();
  if (request.action != rpc::JobAction::kResume || !request.rebind) {
    return InvalidArgument({.message = "a job keeps its kernel contract, so isa cannot be changed",
                            .where = "isa",
                            .remedy = "Leave out isa, or also ask for a rebind"});
  }
  if (definition.kernels == nn::KernelSet::kPortable) {
    return InvalidArgument(
        {.message = "the job has portable kernels, whose results do not depend on an instruction "
                    "set",
         .where = "isa",
         .remedy = "Leave out isa"});
  }
  const nn::Precision precision = definition.precision;
  if (nn::ComputesIn(request.isa, precision)) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("\"", std::string(absl::CHexEscape(request.isa.substr(0, 80))),
                               "\" is not an instruction set of the precision ",
                               std::string(nn::WordOf(precision))),
       .where = "isa",
       .remedy = absl::StrCat("Use ", nn::IsasOf(precision))});
}

}  // namespace

void ClientRequests::On(const Asked<UserAction>& event) {
  const rpc::JobActionRequest& request = event.request.request;
  step_.KeepUntilDurable(event.request.turn);
  if (request.request_id.empty()) {
    step_.AnswerWith(event.token, InvalidArgument({.message = "an action needs a request id",
                                                   .where = "request_id"}));
    return;
  }
  jobs_.RememberEnded(event.request.ended);
  Job* job = jobs_.Find(request.job);
  // Check before using a remembered answer: the caller may have lost the right or name another job.
  if (job != nullptr) {
    if (Status may = CheckMayAct(request.by, *job); !may.ok()) {
      step_.AnswerWith(event.token, may);
      return;
    }
  }
  const std::string request_id = IdOf(request.by.owner, request.request_id);
  if (auto known = request_answers_.find(request_id); known != request_answers_.end()) {
    step_.AnswerWith(event.token, absl::OkStatus(), rpc::JobActionReply{known->second});
    return;
  }
  if (job == nullptr) {
    step_.AnswerWith(event.token, NoSuchJob(request.job));
    return;
  }
  StatusOr<std::string> done = Apply(*job, event.request);
  if (!done.ok()) {
    step_.AnswerWith(event.token, done.status());
    return;
  }
  RememberAnswer(request_id, *done);
  step_.AnswerWith(event.token, absl::OkStatus(), rpc::JobActionReply{*done});
}

void ClientRequests::On(const Asked<PruneRequest>& event) {
  step_.KeepUntilDurable(event.request.turn);
  jobs_.RememberEnded(event.request.ended);
  Job* const job = jobs_.Find(event.request.job);
  if (job == nullptr) return step_.AnswerWith(event.token, NoSuchJob(event.request.job));
  if (job->damage.ok()) uses_.checkpoints.PruneAgain(*job);
  step_.AnswerWith(event.token, job->damage);
}

StatusOr<std::string> ClientRequests::Apply(Job& job, const UserAction& action) {
  const rpc::JobActionRequest& request = action.request;
  if (request.action == rpc::JobAction::kDelete) {
    DL_RETURN_IF_ERROR(CheckExpired(job, action.expired_end_unix_ms));
    return Delete(job, action.expired_end_unix_ms ? KeptFor::kAllOwners : KeptFor::kItsOwner,
                  request.round);
  }
  DL_RETURN_IF_ERROR(job.damage);
  DL_RETURN_IF_ERROR(CheckIsa(request, job.definition));
  switch (request.action) {
    case rpc::JobAction::kCancel:
      return Cancel(job);
    case rpc::JobAction::kPause:
      return Pause(job);
    case rpc::JobAction::kResume:
      return Resume(job, request);
    case rpc::JobAction::kCheckpoint:
      return WriteCheckpoint(job);
    case rpc::JobAction::kPin:
    case rpc::JobAction::kUnpin:
      return Pin(job, {job.definition.id, request.round, request.set_aside},
                 request.action == rpc::JobAction::kPin ? Pinning::kPinned : Pinning::kUnpinned);
    case rpc::JobAction::kDelete:
      break;
  }
  return InvalidArgument({.message = "unknown action"});
}

StatusOr<std::string> ClientRequests::Cancel(Job& job) {
  const std::string& id = job.definition.id;
  if (IsTerminal(job.record.state)) return absl::StrCat(id, " is ", StateOf(job), " already");
  if (job.record.state == JobState::kCancelling) return absl::StrCat(id, " is being cancelled");
  if (job.record.state == JobState::kQueued || job.record.state == JobState::kPaused) {
    uses_.endings.End(job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
    return absl::StrCat(id, " is cancelled");
  }
  records_.SetState(job, JobState::kCancelling, Reason::kUserRequest, "writing a last checkpoint");
  if (job.phase != Phase::kPreparing) uses_.lifecycle.Finish(job);
  return absl::StrCat(id, " is being cancelled; its last committed round is ",
                      std::max<int64_t>(0, job.log.committed));
}

// Makes the job's state durable, and stops computing it until it is resumed.
StatusOr<std::string> ClientRequests::Pause(Job& job) {
  const std::string& id = job.definition.id;
  const JobState state = job.record.state;
  if (IsTerminal(state) || state == JobState::kCancelling) {
    return NotPossible(id,
                       {.message = absl::StrCat(id, " is ", StateOf(job),
                                                "; only a job that has not ended can be paused")},
                       {.kind = rpc::RemedyKind::kShowJob, .job = id});
  }
  if (state == JobState::kPaused) return absl::StrCat(id, " is paused already");
  if (state == JobState::kPausing) return absl::StrCat(id, " is being paused");
  DL_RETURN_IF_ERROR(CheckRoomForPaused(job));
  if (state == JobState::kQueued) {
    uses_.endings.Rest(job);
    return absl::StrCat(id, " is paused");
  }
  records_.SetState(job, JobState::kPausing, Reason::kUserRequest, "writing a last checkpoint");
  if (job.phase != Phase::kPreparing) uses_.lifecycle.Finish(job);
  return absl::StrCat(id, " is being paused; its last committed round is ",
                      std::max<int64_t>(0, job.log.committed));
}

// Limits paused jobs, because they stay in memory.
Status ClientRequests::CheckRoomForPaused(const Job& job) const {
  const std::string& owner = job.record.owner;
  int64_t all = 0, of_owner = 0;
  for (const auto& [id, other] : jobs_.live()) {
    const JobState state = other.record.state;
    if (state != JobState::kPaused && state != JobState::kPausing) continue;
    ++all;
    if (other.record.owner == owner) ++of_owner;
  }
  const bool too_many_of_owner = of_owner >= incarnation_.options.max_paused_jobs_of_owner;
  if (!too_many_of_owner && all < incarnation_.options.max_paused_jobs) return absl::OkStatus();
  return rpc::AttachRemedy(
      ResourceExhausted(
          {.message = too_many_of_owner
                          ? absl::StrCat(of_owner, " jobs of ", owner.empty() ? "no owner" : owner,
                                         " are already paused, which is the limit for one owner")
                          : absl::StrCat(all, " jobs are already paused, which is the limit"),
           .where = job.definition.id}),
      {.kind = rpc::RemedyKind::kFreePausedJobs});
}

StatusOr<std::string> ClientRequests::Resume(Job& job, const rpc::JobActionRequest& request) {
  const std::string& id = job.definition.id;
  const bool paused = job.record.state == JobState::kPaused;
  if (!paused && job.record.state != JobState::kCancelled &&
      job.record.state != JobState::kFailed && job.record.state != JobState::kRejected) {
    return NotPossible(id,
                       {.message = absl::StrCat(
                            id, " is ", StateOf(job),
                            "; only PAUSED, CANCELLED, FAILED and REJECTED jobs can be resumed")},
                       job.record.state == JobState::kSucceeded
                           ? rpc::Remedy{.kind = rpc::RemedyKind::kBeginFrom,
                                         .job = id,
                                         .round = job.log.committed}
                           : rpc::Remedy{.kind = rpc::RemedyKind::kFollow, .job = id});
  }
  if (request.rebind && job.log.committed >= 0 && !job.HasCheckpoint(job.log.committed)) {
    return NotPossible(
        id,
        {.message =
             absl::StrCat(id, " has no checkpoint of its last committed round ", job.log.committed,
                          "; earlier rounds cannot be recomputed under another kernel contract")},
        job.checkpoints.empty() ? rpc::Remedy{.kind = rpc::RemedyKind::kSubmitAgain, .job = id}
                                : rpc::Remedy{.kind = rpc::RemedyKind::kBeginFrom,
                                              .job = id,
                                              .round = job.checkpoints.rbegin()->first});
  }
  DL_RETURN_IF_ERROR(uses_.queue.CheckFitsAlone(job.definition));
  DL_RETURN_IF_ERROR(eligibility_.FitsAnywhere(job.definition));
  DL_RETURN_IF_ERROR(CheckRoomInQueue(job.record.owner));
  // A resumed job starts now, so it no longer waits for its predecessor. If it ended, its stored
  // reports are deleted, because they no longer hold.
  if (!paused) {
    job.record.scheduling.after.clear();
    step_.batch().DeletePrefix(keys::EndedPrefix(id));
    jobs_.BeginAgain(id);
    ++job.record.attempt;
  }
  uses_.logs.PersistNoted(job);
  job.record.error = absl::OkStatus();
  if (request.rebind) {
    job.record.contract.clear();
    job.record.isa = request.isa;
  }
  uses_.queue.Add(job);
  records_.SetState(job, JobState::kQueued, Reason::kNone, "");
  return absl::StrCat(id, " resumes after round ", std::max<int64_t>(0, job.log.committed),
                      " as attempt ", job.record.attempt, uses_.contracts.BoundHow(job));
}

StatusOr<std::string> ClientRequests::WriteCheckpoint(Job& job) {
  const std::string& id = job.definition.id;
  if (!job.active() || job.log.committed < 0) {
    return NotPossible(id,
                       {.message = absl::StrCat(id, " is ", StateOf(job),
                                                "; only a running job writes checkpoints")},
                       {.kind = rpc::RemedyKind::kListCheckpoints, .job = id});
  }
  if (job.HasCheckpoint(job.log.committed))
    return absl::StrCat(id, "@", job.log.committed, " already exists");
  if (job.at != job.log.committed || job.phase == Phase::kPreparing) {
    return NotPossible(
        id,
        {.message = absl::StrCat(id, " is ", StateOf(job), "; the state of its last round ",
                                 job.log.committed, " is not loaded yet")},
        {.kind = rpc::RemedyKind::kResumeThenRepeat, .job = id});
  }
  job.saving.not_before = {};
  uses_.checkpoints.RequestCheckpoint(job);
  return absl::StrCat(id, " writes a checkpoint of round ", job.log.committed);
}

StatusOr<std::string> ClientRequests::Pin(Job& job, const CheckpointName& name, Pinning pinning) {
  CheckpointInfo* const found = job.FindCheckpoint(name);
  if (found == nullptr) {
    return rpc::AttachRemedy(
        NotFound({.message = absl::StrCat("there is no checkpoint ", ToString(name))}),
        {.kind = rpc::RemedyKind::kListCheckpoints, .job = name.job});
  }
  found->pinned = pinning == Pinning::kPinned;
  records_.PersistCheckpoint(job, *found);
  uses_.checkpoints.PruneCheckpoints(job);
  if (IsTerminal(job.record.state)) records_.PersistCheckpointsReport(job);
  return absl::StrCat(ToString(name),
                      pinning == Pinning::kPinned ? " is kept" : " is no longer kept");
}

// Deletes an ended job, damaged or not, with all of its records. The checkpoints of a damaged job
// are unknown, so none counts as pinned. Its manifests stay until its blocks are deleted, which
// happens if no other job names them (master/collection.h).
StatusOr<std::string> ClientRequests::Delete(const Job& job, KeptFor keeps, int64_t round) {
  const std::string id = job.definition.id;
  if (!IsTerminal(job.record.state)) {
    return NotPossible(id,
                       {.message = absl::StrCat(id, " is ", StateOf(job),
                                                "; only jobs that have ended can be deleted")},
                       {.kind = rpc::RemedyKind::kCancelFirst, .job = id});
  }
  DL_RETURN_IF_ERROR(CheckNonePinnedAfter(round, job));
  // Compare by name, because the checkpoints of a damaged job are unknown.
  if (const auto* wanted = uses_.sources.JobThatKeeps(job, keeps); wanted != nullptr) {
    return FailedPrecondition(
        {.message = absl::StrCat(wanted->second, " starts from its checkpoint ", wanted->first,
                                 " and has no checkpoint of its own yet"),
         .where = id,
         .remedy = "Wait until that job has written a checkpoint, or delete that job first"});
  }
  if (const std::string waits = uses_.queue.JobThatKeeps(job, keeps); !waits.empty()) {
    return NotPossible(id, {.message = absl::StrCat(waits, " starts after ", id, " has SUCCEEDED")},
                       {.kind = rpc::RemedyKind::kCancelFirst, .job = waits});
  }
  if (const std::optional<CheckpointName> read = uses_.checkpoints.KeptForReaders(id)) {
    return ResourceExhausted({.message = "a client reads checkpoint " + ToString(*read),
                              .where = id,
                              .remedy =
                                  "Try again in a minute. Readers delay a deletion by at most an "
                                  "hour after the first attempt"});
  }
  for (const auto& [round, checkpoint] : job.checkpoints)
    step_.Do(DeleteCheckpoint{id, round, checkpoint.manifest});
  for (const auto& [name, checkpoint] : job.set_aside)
    step_.Do(DeleteCheckpoint{id, checkpoint.round, checkpoint.manifest});
  const size_t checkpoints = job.checkpoints.size() + job.set_aside.size();
  for (const std::string& key :
       {keys::Job(id), keys::Spec(id), keys::LogHead(id), keys::Unverified(id),
        keys::RenamedSource(id), keys::EventSequence(id), keys::DueCheckpoints(id),
        keys::Number(JobNumber(id))})
    step_.batch().Delete(key);
  for (const std::string& prefix :
       {keys::LogPrefix(id), keys::EventPrefix(id), keys::RoundEventPrefix(id),
        keys::EndedPrefix(id), storage::series_keys::Prefix(id),
        storage::timeline_keys::Prefix(id)})
    step_.batch().DeletePrefix(prefix);
  step_.batch().DeletePrefix(keys::CheckpointPrefix(id));
  step_.batch().Put(keys::Deleted(id), "");
  uses_.queue.PersistAllAfter(id);
  uses_.sources.Forget(job);
  uses_.checkpoints.Forget(id);
  jobs_.Delete(id);
  return absl::StrCat(id, " is deleted", checkpoints == 0 ? "" : ", with its checkpoints");
}

}  // namespace dl::master
