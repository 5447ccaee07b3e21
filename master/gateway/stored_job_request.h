// A request to the core about a job that may have ended. Ended jobs leave the core's memory, so the
// request carries the stored record of the job.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "master/history.h"

namespace dl::master {

// Reads the stored job, sets the member `ended` of the request to it, and returns `ask(request)`.
// Sets null if History::Find returns null, for example because the job has not ended. A job unknown
// to the core may have ended, and left its memory, after the store was read; the core is then asked
// a second time. An empty `job` skips the lookup. Returns errors of the store. REQUIRES: the
// request holds an action turn (ActionTurns), so that no other action changes the stored job before
// the answer.
template <typename Request, typename Ask>
auto RequestWithStoredJob(History& history, Request request, const std::string& job,
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
