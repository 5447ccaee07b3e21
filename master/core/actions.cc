// What users ask of a job that is there: cancel, resume, checkpoint, pin. Each request is answered
// once, whatever its retries.

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "master/core/core.h"
#include "master/core/keys.h"

namespace dl::master {

// What a rebind's answer says of the contract to come; "" where the job has its own.
std::string Core::BoundHow(Job& job) {
  if (!job.record.contract.empty()) return "";
  if (BindContract(job))
    return absl::StrCat("; its rounds are computed under ", job.record.contract, " from here on");
  if (!job.WantedIsa().empty())
    return absl::StrCat("; it waits for executors that compute with isa ", job.WantedIsa());
  return "; its kernel contract is decided when executors are there";
}

void Core::On(const Asked<UserAction>& event) {
  const rpc::JobActionRequest& request = event.request.request;
  if (request.request_id.empty()) {
    AnswerWith(event.token,
               InvalidArgument({.message = "an action needs a request id", .where = "request_id"}));
    return;
  }
  if (auto known = request_answers_.find(request.request_id); known != request_answers_.end()) {
    AnswerWith(event.token, absl::OkStatus(), rpc::JobActionReply{known->second});
    return;
  }
  RememberEnded(event.request.ended);
  Job* job = FindJob(request.job);
  if (job == nullptr) {
    AnswerWith(event.token, NoSuchJob(request.job));
    return;
  }
  StatusOr<std::string> done = Apply(*job, event.request);
  if (!done.ok()) {
    AnswerWith(event.token, done.status());
    return;
  }
  RememberAnswer(request.request_id, *done);
  AnswerWith(event.token, absl::OkStatus(), rpc::JobActionReply{*done});
}

namespace {

Status CheckIsa(const rpc::JobActionRequest& request) {
  if (request.isa.empty()) return absl::OkStatus();
  if (request.action != rpc::JobAction::kResume || !request.rebind) {
    return InvalidArgument({.message = "a job goes on with the kernel contract that it has",
                            .where = "isa",
                            .remedy = "Leave it out, or ask for a rebind"});
  }
  if (request.isa == "avx2" || request.isa == "avx512") return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("unknown instruction set \"",
                               std::string(absl::CHexEscape(request.isa.substr(0, 80))), "\""),
       .where = "isa",
       .remedy = "Use avx2 or avx512"});
}

}  // namespace

StatusOr<std::string> Core::Apply(Job& job, const UserAction& action) {
  const rpc::JobActionRequest& request = action.request;
  const std::string& id = job.definition.id;
  const std::string state(JobStateName(job.record.state));
  if (request.action == rpc::JobAction::kDelete) return Delete(job);
  DL_RETURN_IF_ERROR(job.damage);
  DL_RETURN_IF_ERROR(CheckIsa(request));
  switch (request.action) {
    case rpc::JobAction::kCancel:
      if (IsTerminal(job.record.state)) return absl::StrCat(id, " is ", state, " already");
      if (job.record.state == JobState::kCancelling) return absl::StrCat(id, " is being cancelled");
      if (job.record.state == JobState::kQueued) {
        End(job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
        return absl::StrCat(id, " is cancelled");
      }
      SetState(job, JobState::kCancelling, Reason::kUserRequest, "writing a last checkpoint");
      if (job.phase != Phase::kPreparing) Finish(job);
      return absl::StrCat(id, " is being cancelled; its last committed round is ",
                          std::max<int64_t>(0, job.committed));
    case rpc::JobAction::kResume:
      if (job.record.state != JobState::kCancelled && job.record.state != JobState::kFailed) {
        return FailedPrecondition(
            {.message = absl::StrCat(id, " is ", state, "; only CANCELLED and FAILED jobs resume"),
             .where = id,
             .remedy = job.record.state == JobState::kSucceeded
                           ? absl::StrCat("Start a new job from it with --resume-from ", id, "@",
                                          job.committed, "; its --epochs count from there")
                           : absl::StrCat("Follow it with: dl-submit attach ", id)});
      }
      if (request.rebind && job.committed >= 0 && !job.HasCheckpoint(job.committed)) {
        const std::string newest =
            job.checkpoints.empty() ? "" : absl::StrCat(id, "@", job.checkpoints.rbegin()->first);
        return FailedPrecondition(
            {.message = absl::StrCat(
                 id, " has no checkpoint of its last committed round ", job.committed,
                 "; rounds before it cannot be computed again under another kernel contract"),
             .where = id,
             .remedy = newest.empty() ? "Submit it as a new job"
                                      : "Start a new job with --resume-from " + newest});
      }
      DL_RETURN_IF_ERROR(FitsAnywhere(job.definition));
      jobs_.insert(ended_.extract(id));
      PersistNoted(job);
      ++job.record.attempt;
      job.record.error = absl::OkStatus();
      if (request.rebind) {
        job.record.contract.clear();
        job.record.isa = request.isa;
      }
      queue_.push_back(id);
      queue_changed_ = true;
      Touch(job);
      SetState(job, JobState::kQueued, Reason::kNone, "");
      return absl::StrCat(id, " resumes behind round ", std::max<int64_t>(0, job.committed),
                          " as attempt ", job.record.attempt, BoundHow(job));
    case rpc::JobAction::kCheckpoint:
      if (!job.live() || job.committed < 0) {
        return FailedPrecondition(
            {.message = absl::StrCat(id, " is ", state, "; only a running job writes checkpoints"),
             .where = id,
             .remedy = absl::StrCat("List what it has with: dl-submit checkpoints ", id)});
      }
      if (job.HasCheckpoint(job.committed))
        return absl::StrCat(id, "@", job.committed, " is there already");
      if (job.at != job.committed || job.phase == Phase::kPreparing) {
        return FailedPrecondition(
            {.message = absl::StrCat(id, " is ", state, "; the state of its last round ",
                                     job.committed, " is not there yet"),
             .where = id,
             .remedy = absl::StrCat("Ask again when it is RUNNING; on a local folder first: "
                                    "dl-submit resume ",
                                    id)});
      }
      RequestCheckpoint(job);
      return absl::StrCat(id, " writes a checkpoint of round ", job.committed);
    case rpc::JobAction::kPin:
    case rpc::JobAction::kUnpin: {
      auto found = job.checkpoints.find(request.round);
      if (found == job.checkpoints.end()) {
        return NotFound({.message = absl::StrCat("there is no checkpoint ", id, "@", request.round),
                         .remedy = absl::StrCat("List them with: dl-submit checkpoints ", id)});
      }
      const bool pinned = request.action == rpc::JobAction::kPin;
      found->second.pinned = pinned;
      PersistCheckpoint(job, found->second);
      PruneCheckpoints(job);
      return absl::StrCat(id, "@", request.round, pinned ? " is kept" : " is no longer kept");
    }
    case rpc::JobAction::kDelete:
      break;
  }
  return InvalidArgument({.message = "unknown action"});
}

// A job that ended, damaged or not, with everything that is recorded of it. Its blocks go when
// nobody else's manifests name them (master/collection.h); until then its own stay.
StatusOr<std::string> Core::Delete(const Job& job) {
  const std::string id = job.definition.id;
  if (!IsTerminal(job.record.state)) {
    return FailedPrecondition(
        {.message = absl::StrCat(id, " is ", std::string(JobStateName(job.record.state)),
                                 "; only jobs that ended are deleted"),
         .where = id,
         .remedy = absl::StrCat("Cancel it first: dl-submit cancel ", id)});
  }
  // By their names: of a damaged job it is not known which checkpoints it has.
  const auto wanted = wanted_.lower_bound({id + "@", ""});
  if (wanted != wanted_.end() && wanted->first.starts_with(id + "@")) {
    return FailedPrecondition(
        {.message = absl::StrCat(wanted->second, " begins from its checkpoint ", wanted->first,
                                 " and has none of its own yet"),
         .where = id,
         .remedy = "Let that one write a checkpoint, or delete it first"});
  }
  const auto read = being_read_.lower_bound({id, 0});
  if (read != being_read_.end() && read->first.first == id) {
    return Unavailable(
        {.message = absl::StrCat("somebody reads checkpoint ", id, "@", read->first.second),
         .where = id,
         .remedy = "Try again in a minute"});
  }
  for (const auto& [round, checkpoint] : job.checkpoints)
    out_->effects.push_back(DeleteCheckpoint{id, round, checkpoint.manifest});
  const size_t checkpoints = job.checkpoints.size();
  for (const std::string& key : {keys::Job(id), keys::Spec(id), keys::LogHead(id), keys::Ended(id),
                                 keys::Unverified(id), keys::Number(JobNumber(id))})
    out_->batch.Delete(key);
  out_->batch.DeletePrefix(keys::LogPrefix(id));
  out_->batch.DeletePrefix(keys::CheckpointPrefix(id));
  out_->batch.Put(keys::Deleted(id), "");
  for (const std::string& source : {job.record.resume_from, job.record.init_from})
    wanted_.erase({source, id});
  ended_.erase(id);
  return absl::StrCat(id, " is deleted", checkpoints == 0 ? "" : ", with its checkpoints");
}

}  // namespace dl::master
