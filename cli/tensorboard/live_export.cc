#include "cli/tensorboard/live_export.h"

#include <chrono>

#include "cli/jobs/job_query.h"

namespace dl::cli {

Status LiveExport::Update() {
  constexpr Duration kPause = std::chrono::seconds(1);
  if (Clock::Real().Now() < next_) return absl::OkStatus();
  const auto update = [this]() -> Status {
    if (document_.is_null()) {
      DL_ASSIGN_OR_RETURN(document_, QueryJob(client_, job_));
    }
    return written_.Update(document_, NewestRound::kWait);
  };
  const Status status = update();
  next_ = Clock::Real().Now() + kPause;
  // The caller decides how long a master is waited for.
  const bool may_pass = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  return may_pass ? absl::OkStatus() : status;
}

Status LiveExport::Finish() {
  DL_ASSIGN_OR_RETURN(const Json ended, QueryJob(client_, job_));
  return written_.Update(ended, NewestRound::kRead);
}

}  // namespace dl::cli
