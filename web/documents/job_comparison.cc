#include "web/documents/job_comparison.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "rpc/client_messages.h"
#include "web/documents/settings_document.h"

namespace dl::web {

StatusOr<Json> Comparison(rpc::ClientService& master, std::vector<Json> jobs) {
  std::vector<Json> specs;
  for (const Json& job : jobs) {
    const std::string id = job.value("job", "");
    DL_ASSIGN_OR_RETURN(
        const rpc::QueryReply reply,
        master.Query({.what = rpc::QueryKind::kSpec, .job = id}, limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(Json spec, ParseJson(reply.json, id));
    specs.push_back(std::move(spec));
  }
  Json comparison = DifferencesDocument(specs);
  comparison["jobs"] = std::move(jobs);
  return comparison;
}

}  // namespace dl::web
