#include "inference/round_log_reader.h"

#include "base/json.h"
#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::inference {

Status ReadRoundLog(rpc::ClientService& client, const std::string& job,
                    const std::function<void(const Json&)>& visit) {
  rpc::QueryRequest request{.what = rpc::QueryKind::kLog, .job = job};
  do {
    DL_ASSIGN_OR_RETURN(const rpc::QueryReply page, client.Query(request, limits::kBulkDeadline));
    DL_ASSIGN_OR_RETURN(const Json records, ParseJson(page.json, "the round log of " + job));
    for (const Json& record : records) visit(record);
    if (page.next_first != 0 && page.next_first <= request.first)
      return Internal(
          {.message = "the master answered with a page of the round log that was read before",
           .where = job});
    request.first = page.next_first;
  } while (request.first != 0);
  return absl::OkStatus();
}

}  // namespace dl::inference
