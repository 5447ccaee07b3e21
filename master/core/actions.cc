// What users ask of a job that is there: cancel, resume, checkpoint, pin. Each request is answered
// once, whatever its retries.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"
#include "master/core/keys.h"

namespace dl::master {

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
  Job* job = FindJob(request.job);
  if (job == nullptr) {
    AnswerWith(event.token, NotFound({.message = absl::StrCat("there is no job ", request.job),
                                      .remedy = "List the jobs with: dl-submit list"}));
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

StatusOr<std::string> Core::Apply(Job& job, const UserAction& action) {
  const rpc::JobActionRequest& request = action.request;
  const std::string& id = job.definition.id;
  const std::string state(JobStateName(job.record.state));
  DL_RETURN_IF_ERROR(job.damage);
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
      if (action.log.last_sha256 != job.last_record_sha256) {
        return Unavailable({.message = absl::StrCat("the round log of ", id, " is being written"),
                            .where = id,
                            .remedy = "Try again"});
      }
      TakeLog(job, action.log);
      ++job.record.attempt;
      job.record.error = absl::OkStatus();
      if (request.rebind) job.record.contract.clear();
      queue_.push_back(id);
      SetState(job, JobState::kQueued, Reason::kNone, "");
      return absl::StrCat(id, " resumes behind round ", std::max<int64_t>(0, job.committed),
                          " as attempt ", job.record.attempt);
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
      out_->batch.Put(keys::Checkpoint(id, request.round), JsonText(ToJson(found->second)));
      PruneCheckpoints(job);
      return absl::StrCat(id, "@", request.round, pinned ? " is kept" : " is no longer kept");
    }
  }
  return InvalidArgument({.message = "unknown action"});
}

}  // namespace dl::master
