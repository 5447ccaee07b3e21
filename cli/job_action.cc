#include "cli/job_action.h"

#include "base/limits.h"
#include "cli/exit_code.h"
#include "launch/submission.h"

namespace dl::cli {

StatusOr<std::string> ActOnJob(rpc::ClientService& client, rpc::JobActionRequest request) {
  constexpr int kTries = 5;
  request.request_id = launch::NewRequestId();
  Status status;
  for (int i = 0; i < kTries; ++i) {
    auto reply = client.Act(request, limits::kControlDeadline);
    if (reply.ok()) return reply->message;
    status = reply.status();
    if (!absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status)) break;
  }
  // Not possible in the job's state: trying again does not help.
  return absl::IsFailedPrecondition(status) ? WithExitCode(status, kFailed) : status;
}

}  // namespace dl::cli
