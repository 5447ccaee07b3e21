#include "master/core/records/job_record.h"

#include "base/error_json.h"
#include "base/json.h"
#include "base/limits.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {
namespace {

constexpr auto kSchedulingKeys = [](auto& keys, auto& scheduling) {
  keys.Value("priority", scheduling.priority,
             {.min = -limits::kMaxPriority, .max = limits::kMaxPriority});
  keys.Value("after", scheduling.after);
  keys.Value("max_executors", scheduling.max_executors, {.min = 0});
  keys.Value("labels", scheduling.labels);
  keys.Value("needs", scheduling.needs);
};

// A remedy of another build is left out: nothing depends on it.
StatusOr<rpc::Remedy> ReadRemedy(const Json& json, const std::string&) {
  return rpc::RemedyFromJson(json).value_or(rpc::Remedy{});
}
Json WriteRemedy(const rpc::Remedy& remedy) { return ToJson(remedy); }

// Checks the parts of a stored error, and refuses others.
StatusOr<Status> ReadError(const Json& json, const std::string& path) {
  JsonObjectReader reader(json, path);
  std::string part;
  for (const char* key : {"code", "message", "where", "remedy"}) reader.String(key, part);
  rpc::Remedy remedy;
  if (const Json* action = reader.Child("action"); action != nullptr) {
    DL_ASSIGN_OR_RETURN(remedy, ReadRemedy(*action, path));
  }
  DL_RETURN_IF_ERROR(reader.Finish());
  return rpc::AttachRemedy(ErrorFromJson(json), remedy);
}

constexpr auto kJobKeys = [](auto& keys, auto& job) {
  keys.Word("state", job.state, JobStateName, ParseJobState, "is not a state of a job");
  keys.Word("reason", job.reason, ReasonName, ParseReason, "is not a reason");
  keys.Value("message", job.message);
  keys.Converted("action", job.remedy, ReadRemedy, WriteRemedy, {.omit_default = true});
  keys.Value("attempt", job.attempt, {.min = 1});
  keys.Value("contract", job.contract);
  keys.Value("isa", job.isa, {.omit_default = true});
  keys.Value("submitted_unix_ms", job.submitted_unix_ms);
  keys.Value("ended_unix_ms", job.ended_unix_ms, {.omit_default = true});
  keys.Value("resume_from", job.resume_from);
  keys.Value("init_from", job.init_from);
  keys.Value("earlier_updates", job.earlier_updates, {.min = 0});
  keys.Value("wall_seconds", job.wall_seconds);
  keys.Value("unit_ms", job.unit_ms, {.omit_default = true, .min = 0, .max = kLongestUnitMs});
  keys.Value("rollbacks", job.rollbacks, {.min = 0});
  keys.Value("owner", job.owner, {.omit_default = true});
  keys.Object("scheduling", job.scheduling, kSchedulingKeys, {.omit_default = true});
  keys.Converted("error", job.error, ReadError, ErrorJson, {.omit_default = true});
};

}  // namespace

Json ToJson(const rpc::Scheduling& scheduling) {
  Json json = Json::object();
  KeyWriter keys(json);
  kSchedulingKeys(keys, scheduling);
  return json;
}

void AddRemedy(const rpc::Remedy& remedy, Json& json) {
  if (remedy.kind != rpc::RemedyKind::kNone) json["action"] = ToJson(remedy);
}

Json ErrorJson(const Status& error) {
  Json json = ErrorToJson(error);
  AddRemedy(rpc::RemedyOf(error), json);
  return json;
}

Json ToJson(const JobRecord& record) { return WriteDocument(kJobRecordDocument, record, kJobKeys); }

StatusOr<JobRecord> JobRecordFromJson(const Json& json, std::string_view where) {
  return ReadDocument<JobRecord>(kJobRecordDocument, json, where, kJobKeys);
}

std::string RecordText(const JobRecord& record) { return JsonText(ToJson(record)); }

std::string InitialWeightsText(const std::vector<std::string>& blocks) { return JsonText(blocks); }

}  // namespace dl::master
