#include "cli/jobs/job_events.h"

#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "rpc/messages.h"
#include "rpc/remedy_text.h"

namespace dl::cli {

Status ForEachEvent(rpc::ClientService& client, const std::string& job,
                    const std::function<bool(Json event)>& show) {
  for (int64_t after = 0;;) {
    DL_ASSIGN_OR_RETURN(const rpc::EventsReply reply,
                        client.Events({.job = job, .after = after}, limits::kControlDeadline));
    // For a job that has ended, the master repeats the end after the last event.
    if (after > 0 && reply.last <= after) return absl::OkStatus();
    for (const std::string& text : reply.events) {
      DL_ASSIGN_OR_RETURN(Json event, ParseJson(text, "an event of the master"));
      rpc::AddRemedyTexts(event);
      if (!show(std::move(event))) return absl::OkStatus();
    }
    if (reply.last <= after) return absl::OkStatus();
    after = reply.last;
  }
}

}  // namespace dl::cli
