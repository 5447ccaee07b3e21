#include "cli/jobs/job_action.h"

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/exit_code.h"
#include "launch/submission.h"
#include "launch/user.h"
#include "rpc/messages.h"
#include "rpc/remedy_text.h"

namespace dl::cli {
namespace {

// Completes an error of the master with a place and a remedy, which the master may leave out.
Status WithJobContext(const std::string& job, const Status& status) {
  const Status said = rpc::WithRemedyText(status);
  std::string where = ErrorWhere(said), remedy = ErrorRemedy(said);
  if (where.empty()) where = job;
  if (remedy.empty() && absl::IsNotFound(status))
    remedy = absl::StrCat("List its checkpoints with: dl-submit checkpoints ", job);
  if (remedy.empty() && absl::IsFailedPrecondition(status))
    remedy = absl::StrCat("See what state it is in: dl-submit status ", job);
  return rpc::AttachRemedy(MakeError(status.code(), {.message = std::string(status.message()),
                                                     .where = std::move(where),
                                                     .remedy = std::move(remedy)}),
                           rpc::RemedyOf(status));
}

}  // namespace

StatusOr<std::string> ActOnJob(rpc::ClientService& client, rpc::JobActionRequest request) {
  constexpr int kTries = 5;
  DL_ASSIGN_OR_RETURN(request.request_id, launch::NewRequestId());
  request.by = launch::OwnIdentity();
  Status status;
  for (int i = 0; i < kTries; ++i) {
    auto reply = client.Act(request, limits::kControlDeadline);
    if (reply.ok()) return reply->message;
    status = reply.status();
    if (!absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status)) break;
  }
  status = WithJobContext(request.job, status);
  // The state of the job does not allow the action, so another attempt would not help.
  return absl::IsFailedPrecondition(status) ? WithExitCode(status, kFailed) : status;
}

}  // namespace dl::cli
