#include "web/api/dataset_summary.h"

#include "base/json.h"
#include "rpc/messages.h"
#include "web/api/job_routes.h"

namespace dl::web {
namespace {

StatusOr<Json> Summary(rpc::ClientService& master, rpc::QueryKind what, const std::string& job) {
  DL_ASSIGN_OR_RETURN(const std::string text, JobDocument(master, what, job));
  DL_ASSIGN_OR_RETURN(Json manifest, ParseJson(text, "manifest"));
  if (const auto blocks = manifest.find("blocks"); blocks != manifest.end()) {
    *blocks = blocks->size();
  }
  return manifest;
}

}  // namespace

StatusOr<std::string> DatasetSummary(rpc::ClientService& master, const std::string& job) {
  Json summary = Json::object();
  DL_ASSIGN_OR_RETURN(summary["train"], Summary(master, rpc::QueryKind::kTrainManifest, job));
  StatusOr<Json> test = Summary(master, rpc::QueryKind::kTestManifest, job);
  if (!test.ok() && !absl::IsNotFound(test.status())) return test.status();
  if (test.ok()) summary["test"] = *std::move(test);
  return JsonText(summary);
}

}  // namespace dl::web
