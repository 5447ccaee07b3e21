#include "web/api/submit_routes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/unique.h"
#include "job/job_keys.h"
#include "job/job_spec.h"
#include "rpc/messages.h"
#include "web/api/job_routes.h"
#include "web/documents/submission_document.h"

namespace dl::web {
namespace {

constexpr int kCreated = 201;          // status of HTTP
constexpr int64_t kMaxBody = 8 << 20;  // bytes; manifests need about 110 bytes for a block
constexpr int64_t kBodyCopies = 4;     // the body, its JSON, the texts in it, and the request
constexpr char kSubmissionSchema[] = R"({
  "type": "object",
  "anyOf": [{"required": ["copy_of"]}, {"required": ["spec", "train_manifest"]},
            {"required": ["spec", "import"]}],
  "additionalProperties": false,
  "properties": {
    "copy_of": {"type": "string", "description": "job whose data and settings are used"},
    "spec": {"type": "object", "description": "spec of a job whose data are manifests"},
    "import": {"type": "string", "description": "import whose sets are the data of the spec"},
    "train_manifest": {"type": "string", "description": "text of the manifest of the training set"},
    "test_manifest": {"type": "string", "description": "text of the manifest of the test set"},
    "set": {"type": "object", "description": "path of a setting, as in --set, to its new value"},
    "request_id": {"type": "string", "description": "a repeated id returns the same job"},
    "resume_from": {"type": "string", "description": "checkpoint to continue, JOB@ROUND"},
    "init_from": {"type": "string", "description": "checkpoint of the initial weights, JOB@ROUND"}
  }
})";

// The body of a submission.
struct Submission {
  // A job with the same data, whose spec is the start. Empty: the spec and manifests are here.
  std::string copy_of;
  Json spec;
  std::string import;  // the data of the spec, instead of the manifests
  std::string train_manifest, test_manifest;
  Json set = Json::object();
  std::string request_id, resume_from, init_from;
};

// Checks that the spec and the manifests come from the same place: another job, or the submission.
Status CheckSource(const Submission& submission, bool has_spec) {
  if (has_spec != submission.copy_of.empty()) {
    return InvalidArgument(
        {.message = has_spec ? "copy_of and spec exclude each other"
                             : "the submission has neither copy_of nor spec",
         .where = "copy_of",
         .remedy = "Send the id of a job as copy_of, or a spec and its manifests"});
  }
  const bool has_test = !submission.test_manifest.empty();
  if (!submission.import.empty()) {
    if (has_spec && submission.train_manifest.empty() && !has_test) return absl::OkStatus();
    return InvalidArgument({.message = has_spec ? "import and manifests exclude each other"
                                                : "copy_of and import exclude each other",
                            .where = "import",
                            .remedy = "Send a spec with either an import or manifests"});
  }
  if (has_spec && submission.train_manifest.empty()) {
    return InvalidArgument({.message = "the spec comes without the manifest of its training set",
                            .where = "train_manifest",
                            .remedy = "Send a file to /api/v1/imports and its id as import, or "
                                      "upload blocks and send the text of the manifest"});
  }
  if (!has_spec && (has_test || !submission.train_manifest.empty())) {
    return InvalidArgument({.message = "copy_of and manifests exclude each other",
                            .where = has_test ? "test_manifest" : "train_manifest",
                            .remedy = "Send a spec with the manifests of other data"});
  }
  return absl::OkStatus();
}

StatusOr<Submission> SubmissionFromJson(const std::string& body) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(body, "body"));
  JsonObjectReader reader(json, "");
  Submission submission;
  const Json* const spec = reader.Child("spec");
  if (spec != nullptr && !spec->is_object()) reader.AddError("spec", "must be an object");
  reader.String("copy_of", submission.copy_of);
  reader.String("import", submission.import);
  reader.String("train_manifest", submission.train_manifest);
  reader.String("test_manifest", submission.test_manifest);
  reader.String("request_id", submission.request_id);
  reader.String("resume_from", submission.resume_from);
  reader.String("init_from", submission.init_from);
  if (const Json* set = reader.Child("set")) {
    if (!set->is_object()) reader.AddError("set", "must be an object: path of a setting to value");
    submission.set = *set;
  }
  DL_RETURN_IF_ERROR(reader.Finish());
  if (spec != nullptr) submission.spec = *spec;
  DL_RETURN_IF_ERROR(CheckSource(submission, spec != nullptr));
  if (!submission.resume_from.empty() && !submission.init_from.empty()) {
    return InvalidArgument({.message = "resume_from and init_from exclude each other",
                            .where = "init_from",
                            .remedy = "Send one of them"});
  }
  return submission;
}

// Returns an error for a setting of the data. They are imported already, so their settings would
// have no effect.
Status CheckPath(const std::string& path) {
  const std::string_view begin = std::string_view(path).substr(0, path.find_first_of(".["));
  if (begin != "data") return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat("\"", path, "\" cannot be changed: the job uses ",
                                                  "the data as they were imported"),
                          .where = "set",
                          .remedy = "Submit a spec with the manifests of other data"});
}

// Applies the settings as --set does. A type comes before the other settings of its object, because
// it drops those of another type.
Status ApplySettings(const Json& set, Json& spec) {
  const auto about = [](const std::string& path, const Status& mistake) {
    return MakeError(mistake.code(),
                     {.message = absl::StrCat(path, ": ", std::string(mistake.message())),
                      .where = "set",
                      .remedy = ErrorRemedy(mistake)});
  };
  std::vector<std::pair<std::string, std::string>> settings;  // path, value as text
  for (const auto& [path, value] : set.items()) {
    DL_RETURN_IF_ERROR(CheckPath(path));
    StatusOr<std::string> text = job::SettingText(path, value);
    if (!text.ok()) return about(path, text.status());
    settings.emplace_back(path, *std::move(text));
  }
  std::ranges::stable_partition(
      settings, [](const auto& setting) { return setting.first.ends_with(".type"); });
  for (const auto& [path, value] : settings) {
    if (const Status changed = job::SetByPath(spec, path, value); !changed.ok())
      return about(path, changed);
  }
  return absl::OkStatus();
}

// Takes the spec and the manifests of the copied job.
Status FillFromJob(rpc::ClientService& master, const Submission& submission,
                   rpc::SubmitRequest& request) {
  const StatusOr<std::string> spec_text =
      JobDocument(master, rpc::QueryKind::kSpec, submission.copy_of);
  if (absl::IsNotFound(spec_text.status())) {
    return NotFound({.message = absl::StrCat("there is no job ", submission.copy_of),
                     .where = "copy_of",
                     .remedy = "GET /api/v1/jobs lists all jobs"});
  }
  DL_RETURN_IF_ERROR(spec_text.status());
  DL_ASSIGN_OR_RETURN(Json spec, ParseJson(*spec_text, "spec"));
  DL_RETURN_IF_ERROR(ApplySettings(submission.set, spec));
  request.spec = JsonText(spec);
  DL_ASSIGN_OR_RETURN(request.train_manifest,
                      JobDocument(master, rpc::QueryKind::kTrainManifest, submission.copy_of));
  const StatusOr<std::string> test =
      JobDocument(master, rpc::QueryKind::kTestManifest, submission.copy_of);
  if (!test.ok() && !absl::IsNotFound(test.status())) return test.status();
  request.test_manifest = test.value_or("");
  return absl::OkStatus();
}

// Puts the sets of an import into the submission. The spec may state only what the data leave open.
Status FillFromImport(const ImportService& imports, const security::Identity& caller,
                      Submission& submission) {
  if (submission.spec.contains("data")) {
    return InvalidArgument({.message = "the spec has \"data\", but the import defines the data",
                            .where = "spec.data",
                            .remedy = "Leave the key out"});
  }
  DL_ASSIGN_OR_RETURN(ImportedData data, imports.Data(submission.import, caller));
  DL_ASSIGN_OR_RETURN(submission.spec["data"], ParseJson(data.data, "import"));
  Json& training = submission.spec["training"];
  if (training.is_null()) training = Json::object();
  if (training.is_object() && !training.contains("target_normalizer"))
    training["target_normalizer"] = data.target_normalizer;
  submission.train_manifest = std::move(data.train_manifest);
  submission.test_manifest = std::move(data.test_manifest);
  return absl::OkStatus();
}

// Takes the spec and the manifests of the submission. Writes the defaults into the spec, as
// dl-submit does.
Status FillFromSubmission(Submission& submission, rpc::SubmitRequest& request) {
  DL_RETURN_IF_ERROR(ApplySettings(submission.set, submission.spec));
  DL_ASSIGN_OR_RETURN(const job::JobSpec spec, job::JobFromText(JsonText(submission.spec), "spec"));
  request.spec = JsonText(job::ToJson(spec));
  request.train_manifest = std::move(submission.train_manifest);
  request.test_manifest = std::move(submission.test_manifest);
  return absl::OkStatus();
}

StatusOr<rpc::SubmitRequest> RequestOf(rpc::ClientService& master, const ImportService& imports,
                                       const security::Identity& caller, Submission submission) {
  rpc::SubmitRequest request{.request_id = submission.request_id,
                             .resume_from = submission.resume_from,
                             .init_from = submission.init_from,
                             .by = caller};
  if (!submission.import.empty()) DL_RETURN_IF_ERROR(FillFromImport(imports, caller, submission));
  DL_RETURN_IF_ERROR(submission.copy_of.empty() ? FillFromSubmission(submission, request)
                                                : FillFromJob(master, submission, request));
  if (request.request_id.empty()) {
    DL_ASSIGN_OR_RETURN(const uint64_t number, UniqueNumber());
    request.request_id = absl::StrCat("http-", absl::Hex(number));
  }
  return request;
}

}  // namespace

std::vector<Route> SubmitRoutes(rpc::ClientService& master, const ImportService& imports) {
  return {{.method = "POST",
           .pattern = "/api/v1/jobs",
           .rpc_method = "Submit",
           .about = "Submit a job with uploaded data, or with the data of an earlier job",
           .document = "Submission",
           .status = kCreated,
           .body_bytes = kMaxBody,
           .body_schema = kSubmissionSchema,
           .long_body_remedy =
               "Send the data to /api/v1/imports first and submit the id of the import, or "
               "use dl-submit submit",
           .body_copies = kBodyCopies,
           .audited = "Submit",
           .answer = [&master, &imports](const Call& call) -> StatusOr<HttpResponse> {
             DL_ASSIGN_OR_RETURN(Submission submission, SubmissionFromJson(call.request.body));
             DL_ASSIGN_OR_RETURN(rpc::SubmitRequest request,
                                 RequestOf(master, imports, call.caller, std::move(submission)));
             DL_ASSIGN_OR_RETURN(const rpc::SubmitReply reply,
                                 master.Submit(request, limits::kBulkDeadline));
             HttpResponse response = JsonResponse(JsonText(SubmissionDocument(reply)));
             response.status = kCreated;
             response.headers.emplace_back(
                 "Location", absl::StrCat("/api/v1/jobs/", EscapeForTarget(reply.job)));
             return response;
           }}};
}

}  // namespace dl::web
