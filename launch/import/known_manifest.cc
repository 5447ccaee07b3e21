#include "launch/import/known_manifest.h"

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "dataset/job_plan.h"
#include "dataset/manifest.h"
#include "launch/all_jobs.h"
#include "rpc/messages.h"

namespace dl::launch {
namespace {

StatusOr<std::string> Ask(rpc::QueryKind what, const std::string& job, rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(rpc::QueryReply reply,
                      client.Query({.what = what, .job = job}, limits::kControlDeadline));
  return std::move(reply.json);
}

bool Is(const job::DatasetSpec& dataset, const std::string& sha256) {
  const auto* reference = std::get_if<job::ManifestReference>(&dataset);
  return reference != nullptr && reference->sha256 == sha256;
}

}  // namespace

StatusOr<job::ManifestReference> ReferenceTo(const std::string& manifest, std::string_view place) {
  DL_ASSIGN_OR_RETURN(const dataset::Manifest read, dataset::ManifestFromJson(manifest, place));
  return job::ManifestReference{.sha256 = Sha256Hex(manifest),
                                .summary = dataset::SummaryOf(read.schema, read.examples)};
}

StatusOr<std::string> KnownManifest(const job::ManifestReference& reference,
                                    rpc::ClientService& client) {
  DL_ASSIGN_OR_RETURN(const Json jobs, AllJobs(client));
  for (const Json& entry : jobs) {
    const std::string id = entry.value("job", "");
    DL_ASSIGN_OR_RETURN(const std::string document, Ask(rpc::QueryKind::kSpec, id, client));
    DL_ASSIGN_OR_RETURN(const job::JobSpec spec, job::JobFromText(document, "spec of " + id));
    if (Is(spec.data.train, reference.sha256))
      return Ask(rpc::QueryKind::kTrainManifest, id, client);
    if (spec.data.test && Is(*spec.data.test, reference.sha256))
      return Ask(rpc::QueryKind::kTestManifest, id, client);
  }
  return NotFound(
      {.message = absl::StrCat("no job of this master has the dataset ", reference.sha256),
       .where = "manifest",
       .remedy = "Name the files of the dataset instead"});
}

}  // namespace dl::launch
