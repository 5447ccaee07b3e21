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
#include "rpc/messages.h"
#include "web/api/job_routes.h"
#include "web/documents/submission_document.h"

namespace dl::web {
namespace {

constexpr int kCreated = 201;            // status of HTTP
constexpr int64_t kMaxBody = 256 << 10;  // bytes
constexpr char kSubmissionSchema[] = R"({
  "type": "object",
  "required": ["copy_of"],
  "additionalProperties": false,
  "properties": {
    "copy_of": {"type": "string", "description": "job whose data and settings are used"},
    "set": {"type": "object", "description": "path of a setting, as in --set, to its new value"},
    "request_id": {"type": "string", "description": "a repeated id returns the same job"},
    "resume_from": {"type": "string", "description": "checkpoint to continue, JOB@ROUND"},
    "init_from": {"type": "string", "description": "checkpoint of the initial weights, JOB@ROUND"}
  }
})";

// The body of a submission.
struct Submission {
  std::string copy_of;  // job with the same data, whose spec is the start
  Json set = Json::object();
  std::string request_id, resume_from, init_from;
};

StatusOr<Submission> SubmissionFromJson(const std::string& body) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(body, "body"));
  JsonObjectReader reader(json, "");
  Submission submission;
  reader.Require("copy_of");
  reader.String("copy_of", submission.copy_of);
  reader.String("request_id", submission.request_id);
  reader.String("resume_from", submission.resume_from);
  reader.String("init_from", submission.init_from);
  if (const Json* set = reader.Child("set")) {
    if (!set->is_object()) reader.AddError("set", "must be an object: path of a setting to value");
    submission.set = *set;
  }
  DL_RETURN_IF_ERROR(reader.Finish());
  if (!submission.resume_from.empty() && !submission.init_from.empty()) {
    return InvalidArgument({.message = "resume_from and init_from exclude each other",
                            .where = "init_from",
                            .remedy = "Send one of them"});
  }
  return submission;
}

// Returns an error for a setting of the data. They were imported for the copied job, so their
// settings would have no effect.
Status CheckPath(const std::string& path) {
  const std::string_view begin = std::string_view(path).substr(0, path.find_first_of(".["));
  if (begin != "data") return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat("\"", path, "\" cannot be changed: the job uses ",
                                                  "the data of the copied job as they are"),
                          .where = "set",
                          .remedy = "Submit a job with other data by dl-submit submit"});
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

StatusOr<rpc::SubmitRequest> RequestOf(rpc::ClientService& master, const Submission& submission) {
  rpc::SubmitRequest request{.request_id = submission.request_id,
                             .resume_from = submission.resume_from,
                             .init_from = submission.init_from};
  DL_ASSIGN_OR_RETURN(const std::string spec_text,
                      JobDocument(master, rpc::QueryKind::kSpec, submission.copy_of));
  DL_ASSIGN_OR_RETURN(Json spec, ParseJson(spec_text, "spec"));
  DL_RETURN_IF_ERROR(ApplySettings(submission.set, spec));
  request.spec = JsonText(spec);
  DL_ASSIGN_OR_RETURN(request.train_manifest,
                      JobDocument(master, rpc::QueryKind::kTrainManifest, submission.copy_of));
  const StatusOr<std::string> test =
      JobDocument(master, rpc::QueryKind::kTestManifest, submission.copy_of);
  if (!test.ok() && !absl::IsNotFound(test.status())) return test.status();
  request.test_manifest = test.value_or("");
  if (request.request_id.empty()) {
    DL_ASSIGN_OR_RETURN(const uint64_t number, UniqueNumber());
    request.request_id = absl::StrCat("http-", absl::Hex(number));
  }
  return request;
}

}  // namespace

std::vector<Route> SubmitRoutes(rpc::ClientService& master) {
  return {{.method = "POST",
           .pattern = "/api/v1/jobs",
           .rpc_method = "Submit",
           .about = "Submit a job with the data of an earlier job and other settings",
           .document = "Submission",
           .status = kCreated,
           .body_bytes = kMaxBody,
           .body_schema = kSubmissionSchema,
           .audited = "Submit",
           .answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
             DL_ASSIGN_OR_RETURN(const Submission submission,
                                 SubmissionFromJson(call.request.body));
             DL_ASSIGN_OR_RETURN(rpc::SubmitRequest request, RequestOf(master, submission));
             request.by = call.caller;
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
