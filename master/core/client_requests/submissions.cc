#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/client_requests/client_requests.h"
#include "master/core/job/scheduling.h"
#include "master/core/record_keys.h"
#include "master/core/records/job_record.h"

namespace dl::master {
namespace {

// A job's id is its name and a running number, so that people can recognize and type it.
std::string MakeJobId(const std::string& name, uint64_t number) {
  return absl::StrCat(name, "-", number);
}

}  // namespace

void ClientRequests::On(const Asked<Submission>& event) {
  const Submission& submission = event.request;
  step_.KeepUntilDurable(submission.turn);
  const std::string request_id = IdOf(submission.owner, submission.request_id);
  if (auto known = request_answers_.find(request_id); known != request_answers_.end()) {
    const Job* job = jobs_.Find(known->second);
    step_.AnswerWith(event.token, absl::OkStatus(),
                     job == nullptr ? rpc::SubmitReply{known->second} : Submitted(*job));
    return;
  }
  StatusOr<Job> admitted = Admit(submission);
  if (!admitted.ok()) {
    step_.AnswerWith(event.token, admitted.status());
    return;
  }
  const std::string id = admitted->definition.id;
  step_.batch().Put(keys::kJobsCreated, absl::StrCat(++jobs_created_));
  step_.batch().Put(keys::Number(jobs_created_), id);
  step_.batch().Put(keys::Spec(id), submission.spec);
  step_.batch().Put(keys::TrainManifest(id), submission.train_manifest);
  if (!submission.test_manifest.empty())
    step_.batch().Put(keys::TestManifest(id), submission.test_manifest);
  if (const auto& blocks = submission.definition.weights_blocks; !blocks.empty())
    step_.batch().Put(keys::InitialWeights(id), InitialWeightsText(blocks));
  RememberAnswer(request_id, id);
  Job& job = jobs_.Add(*std::move(admitted));
  uses_.queue.Add(job);
  uses_.sources.UpdateWantedSource(job);
  records_.SetState(job, JobState::kQueued, Reason::kNone, "");
  uses_.trust.RecordSource(job);
  (void)uses_.contracts.Bind(job);  // otherwise when executors have registered
  step_.AnswerWith(event.token, absl::OkStatus(), Submitted(job));
}

// Returns the new job, or why it is refused.
StatusOr<Job> ClientRequests::Admit(const Submission& submission) {
  if (submission.request_id.empty()) {
    return InvalidArgument({.message = "a submission needs a request id", .where = "request_id"});
  }
  if (incarnation_.stopping) {
    return Unavailable(
        {.message = "the master is stopping", .remedy = "Submit again after it has restarted"});
  }
  DL_RETURN_IF_ERROR(CheckRoomInQueue(submission.owner));
  Job job;
  job.definition = submission.definition;
  job.definition.id = MakeJobId(job.definition.name, jobs_created_ + 1);
  job.record.submitted_unix_ms = step_.wall_unix_ms;
  job.record.resume_from = submission.resume_from;
  job.record.init_from = submission.init_from;
  job.record.owner = submission.owner;
  job.record.scheduling = submission.scheduling;
  DL_RETURN_IF_ERROR(CheckScheduling(job.record.scheduling));
  DL_RETURN_IF_ERROR(CheckPredecessor(submission, job));
  DL_RETURN_IF_ERROR(uses_.queue.CheckFitsAlone(job.definition));
  DL_RETURN_IF_ERROR(eligibility_.FitsAnywhere(job.definition));
  jobs_.RememberEnded(submission.source);
  DL_RETURN_IF_ERROR(uses_.sources.TakeSource(job));
  return job;
}

Status ClientRequests::CheckRoomInQueue(const std::string& owner) const {
  const auto queued = static_cast<int64_t>(uses_.queue.size());
  if (queued >= incarnation_.options.max_queued_jobs) {
    return ResourceExhausted(
        {.message = absl::StrCat(queued, " jobs are already queued, which is the limit"),
         .remedy = "Wait until some of them finish, or cancel some"});
  }
  const auto of_owner = std::ranges::count_if(jobs_.live(), [&](const auto& entry) {
    const JobRecord& record = entry.second.record;
    return record.state == JobState::kQueued && record.owner == owner;
  });
  if (of_owner < incarnation_.options.max_queued_jobs_of_owner) return absl::OkStatus();
  return ResourceExhausted(
      {.message = absl::StrCat(of_owner, " jobs of ", owner.empty() ? "no owner" : owner,
                               " are already queued, which is the limit for one owner"),
       .remedy = "Wait until some of them finish, or cancel some"});
}

// Checks that the job named by `after` exists. Clears `after` if that job has SUCCEEDED.
Status ClientRequests::CheckPredecessor(const Submission& submission, Job& job) {
  std::string& after = job.record.scheduling.after;
  if (after.empty()) return absl::OkStatus();
  jobs_.RememberEnded(submission.predecessor);
  const Job* predecessor = jobs_.Find(after);
  if (predecessor == nullptr) return NoSuchJob(after);
  const JobState state = predecessor->record.state;
  if (!IsTerminal(state)) return absl::OkStatus();
  if (state != JobState::kSucceeded) {
    return rpc::AttachRemedy(
        FailedPrecondition(
            {.message = absl::StrCat(after, " is ", std::string(JobStateName(state)),
                                     ", so a job that waits for its success would never start"),
             .where = after}),
        {.kind = rpc::RemedyKind::kResumeFirst, .job = after});
  }
  after.clear();
  return absl::OkStatus();
}

rpc::SubmitReply ClientRequests::Submitted(const Job& job) const {
  rpc::SubmitReply reply{.job = job.definition.id, .contract = job.record.contract};
  const Eligibility::TooSmall too_small = eligibility_.TooSmallFor(job);
  reply.too_small = static_cast<int32_t>(too_small.names.size());
  reply.unit_bytes = job.definition.unit_bytes;
  reply.largest_unit_memory = too_small.largest;
  const ExcludedView excluded = eligibility_.ExcludedFrom(job);
  reply.without_labels = static_cast<int32_t>(excluded.for_labels.size());
  if (job.record.contract.empty()) return reply;
  reply.excluded = static_cast<int32_t>(excluded.for_contract.size());
  reply.slots = eligibility_.SlotsFor(job);
  reply.executors = eligibility_.AvailableExecutors(job);
  return reply;
}

}  // namespace dl::master
