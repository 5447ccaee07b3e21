// A request to the core about a job that may have ended. Jobs that ended leave the core's memory,
// so the request brings along what the store knows of the job.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "master/history.h"

namespace dl::master {

// `Request` is UserAction or Submission. Not thread-safe.
template <typename Request>
class RequestOfJob {
 public:
  using Ended = std::shared_ptr<const RecoveredJob>;

  // `ended` is the member that takes the stored job. `history` outlives this. An empty `job` is a
  // request about no job: it goes as it is. REQUIRES: the request has its turn (ActionTurns).
  RequestOfJob(History* history, Request request, std::string job, Ended Request::*ended)
      : history_(history), request_(std::move(request)), job_(std::move(job)), ended_(ended) {}

  // The request as the core is asked first. Errors of the store.
  StatusOr<Request> First() {
    if (!job_.empty()) {
      DL_ASSIGN_OR_RETURN(request_.*ended_, history_->Find(job_));
    }
    return request_;
  }

  // The request as the core is asked once more after the answer `status`, or none when that answer
  // stands. A job that the core does not know may have ended, and left its memory, after the store
  // was read. Errors of the store.
  StatusOr<std::optional<Request>> AskAgain(const Status& status) {
    if (job_.empty() || !absl::IsNotFound(status) || request_.*ended_ != nullptr)
      return std::nullopt;
    DL_ASSIGN_OR_RETURN(request_.*ended_, history_->Find(job_));
    if (request_.*ended_ == nullptr) return std::nullopt;
    return request_;
  }

 private:
  History* history_;
  Request request_;
  const std::string job_;
  Ended Request::*const ended_;
};

}  // namespace dl::master
