// A request to the core about a job that may have ended. Jobs that ended leave the core's memory,
// so the request brings along what the store knows of the job.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "master/history.h"

namespace dl::master {

// Returns the answer of `ask(request)`. `ended` is the member of the request that takes the stored
// job. A job that the core does not know may have ended, and left its memory, after the store was
// read: then the core is asked once more. An empty `job` is a request about no job. Returns errors
// of the store. REQUIRES: the request has its turn (ActionTurns).
template <typename Request, typename Ask>
auto AskOfJob(History& history, Request request, const std::string& job,
              std::shared_ptr<const RecoveredJob> Request::*ended, const Ask& ask)
    -> decltype(ask(request)) {
  if (job.empty()) return ask(std::move(request));
  DL_ASSIGN_OR_RETURN(request.*ended, history.Find(job));
  auto reply = ask(request);
  if (!absl::IsNotFound(reply.status()) || request.*ended != nullptr) return reply;
  DL_ASSIGN_OR_RETURN(request.*ended, history.Find(job));
  if (request.*ended == nullptr) return reply;
  return ask(std::move(request));
}

}  // namespace dl::master
