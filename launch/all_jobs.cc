#include "launch/all_jobs.h"

#include "base/json.h"
#include "base/limits.h"
#include "rpc/messages.h"
#include "rpc/remedy_text.h"

namespace dl::launch {

StatusOr<Json> AllJobs(rpc::ClientService& client, int64_t max_age_ms) {
  Json all = Json::array();
  rpc::QueryRequest request{.what = rpc::QueryKind::kJobs, .max_age_ms = max_age_ms};
  do {
    DL_ASSIGN_OR_RETURN(const rpc::QueryReply page,
                        client.Query(request, limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(Json jobs, ParseJson(page.json, "the master's jobs"));
    for (Json& job : jobs) {
      rpc::AddRemedyTexts(job);
      all.push_back(std::move(job));
    }
    if (page.next_first != 0 && page.next_first <= request.first)
      return Internal({.message = "the master answered with a page of jobs that was read before"});
    request.first = page.next_first;
  } while (request.first != 0);
  return all;
}

}  // namespace dl::launch
