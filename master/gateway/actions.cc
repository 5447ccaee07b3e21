#include "master/gateway/actions.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/unique.h"
#include "master/collection.h"
#include "master/gateway/stored_job_request.h"
#include "master/gateway/user_requests.h"
#include "rpc/remedy.h"

namespace dl::master {
namespace {

// Longer than any master runs. The wait ends when the core answers or the master stops.
constexpr Duration kNoDeadline = std::chrono::hours(24 * 365);

}  // namespace

Actions::Actions(Options options)
    : options_(std::move(options)), history_(*options_.meta, options_.make_definition) {}

void Actions::Close() {
  validations_.Close();
  turns_.Close();
}

template <typename ReplyType, typename Request>
StatusOr<ReplyType> Actions::Ask(Request request, const std::string& job,
                                 std::shared_ptr<const RecoveredJob> Request::*ended, Instant end) {
  return RequestWithStoredJob(history_, std::move(request), job, ended, [&](Request asked) {
    return options_.core->SendRequest<ReplyType>(std::move(asked), end - Clock::Real().Now());
  });
}

StatusOr<rpc::SubmitReply> Actions::Submit(const rpc::SubmitRequest& request, Duration deadline) {
  DL_RETURN_IF_ERROR(CheckSubmission(request));
  DL_RETURN_IF_ERROR(options_.meta->CheckFreeSpace());
  // Parsing takes many times the size of the documents, so only one submission is validated at a
  // time.
  const Instant end = Clock::Real().Now() + deadline;
  DL_ASSIGN_OR_RETURN(ActionTurns::Turn validation, validations_.Take(end));
  Submission submission = SubmissionOf(request);
  DL_ASSIGN_OR_RETURN(
      submission.definition,
      options_.make_definition("", request.spec, request.train_manifest, request.test_manifest));
  validation = nullptr;
  DL_ASSIGN_OR_RETURN(submission.turn, turns_.Take(end));
  DL_ASSIGN_OR_RETURN(std::vector<std::string> blocks,
                      BlocksOf(request.train_manifest, request.test_manifest));
  const std::vector<std::string>& weights = submission.definition.weights_blocks;
  blocks.insert(blocks.end(), weights.begin(), weights.end());
  DL_ASSIGN_OR_RETURN(std::vector<std::string> missing, options_.uploads->Missing(blocks));
  if (!missing.empty()) {
    return rpc::AttachRemedy(
        FailedPrecondition({.message = absl::StrCat(missing.size(),
                                                    " data blocks of the job are "
                                                    "not stored on the master"),
                            .where = missing.front()}),
        {.kind = rpc::RemedyKind::kImportFirst});
  }
  if (!request.scheduling.after.empty()) {
    DL_ASSIGN_OR_RETURN(submission.predecessor, history_.Find(request.scheduling.after));
  }
  const std::string& source = request.resume_from.empty() ? request.init_from : request.resume_from;
  auto reply = Ask<rpc::SubmitReply>(std::move(submission), source.substr(0, source.rfind('@')),
                                     &Submission::source, end);
  if (reply.ok()) options_.uploads->RecordNamed(blocks);
  return reply;
}

StatusOr<rpc::JobActionReply> Actions::Act(const rpc::JobActionRequest& request,
                                           Duration deadline) {
  DL_RETURN_IF_ERROR(CheckAction(request));
  return ActInTurn({.request = request}, Clock::Real().Now() + deadline);
}

StatusOr<rpc::JobActionReply> Actions::DeleteExpired(const std::string& job,
                                                     int64_t ended_unix_ms) {
  DL_ASSIGN_OR_RETURN(const uint64_t number, UniqueNumber());
  return ActInTurn({.request = {.request_id = absl::StrCat("retention-", number),
                                .job = job,
                                .action = rpc::JobAction::kDelete,
                                .by = {.role = security::Role::kAdmin}},
                    .expired_end_unix_ms = ended_unix_ms},
                   Clock::Real().Now() + kNoDeadline);
}

Status Actions::DeleteDueCheckpoints(const std::string& job) {
  PruneRequest request{.job = job};
  DL_ASSIGN_OR_RETURN(request.turn, turns_.Take(Instant::Max()));
  return Ask<std::monostate>(std::move(request), job, &PruneRequest::ended,
                             Clock::Real().Now() + kNoDeadline)
      .status();
}

StatusOr<rpc::JobActionReply> Actions::ActInTurn(UserAction action, Instant end) {
  DL_ASSIGN_OR_RETURN(action.turn, turns_.Take(end));
  const ActionTurns::Turn turn = action.turn;  // kept until the space is freed
  const rpc::JobAction what = action.request.action;
  const std::string job = action.request.job;
  auto reply = Ask<rpc::JobActionReply>(std::move(action), job, &UserAction::ended, end);
  if (!reply.ok() || what != rpc::JobAction::kDelete) return reply;
  if (const Status collected = Collect(); !collected.ok()) {
    absl::StrAppend(&reply->message,
                    "; its disk space is freed later: ", std::string(collected.message()));
  }
  return reply;
}

Status Actions::Collect() {
  const Status done = CollectDeleted(*options_.meta, [this](std::span<const std::string> names) {
    return options_.uploads->DeleteReleased(names);
  });
  if (!done.ok())
    options_.log->Write("cannot free the disk space of deleted jobs: " + DescribeError(done));
  return done;
}

void Actions::FinishDeletions() {
  const auto turn = turns_.Take(Instant::Max());
  if (turn.ok()) (void)Collect();
}

void Actions::CollectUnnamed(const Expiry& uploads) {
  const auto turn = turns_.Take(Instant::Max());
  if (!turn.ok()) return;
  (void)Collect();
  const StatusOr<int64_t> gone = options_.uploads->CollectUnnamed(uploads);
  if (!gone.ok()) {
    options_.log->Write("cannot delete blocks that belong to no job: " +
                        DescribeError(gone.status()));
  } else if (*gone > 0) {
    options_.log->Write(absl::StrCat(*gone, *gone == 1 ? " block is" : " blocks are",
                                     " deleted because no job has used what was uploaded"));
  }
}

}  // namespace dl::master
