#include "master/core/records/job_record.h"

#include <utility>

#include "base/document_version.h"
#include "base/json.h"
#include "base/limits.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {

Json ToJson(const rpc::Scheduling& scheduling) {
  return {{"priority", scheduling.priority},
          {"after", scheduling.after},
          {"max_executors", scheduling.max_executors},
          {"labels", scheduling.labels},
          {"needs", scheduling.needs}};
}

namespace {

// The reader records errors.
rpc::Scheduling SchedulingFromJson(JsonObjectReader& reader) {
  rpc::Scheduling scheduling;
  reader.Int32("priority", scheduling.priority, {-limits::kMaxPriority, limits::kMaxPriority});
  reader.String("after", scheduling.after);
  reader.Int32("max_executors", scheduling.max_executors, {0, INT32_MAX});
  reader.StringList("labels", scheduling.labels);
  reader.StringList("needs", scheduling.needs);
  return scheduling;
}

}  // namespace

Json ErrorJson(const Status& error) {
  return {{"code", ErrorCodeName(error.code())},
          {"message", std::string(error.message())},
          {"where", ErrorWhere(error)},
          {"remedy", ErrorRemedy(error)}};
}

Json ToJson(const JobRecord& record) {
  Json json = {{"format", kJobRecordDocument.version()},
               {"state", JobStateName(record.state)},
               {"reason", ReasonName(record.reason)},
               {"message", record.message},
               {"attempt", record.attempt},
               {"contract", record.contract},
               {"submitted_unix_ms", record.submitted_unix_ms},
               {"resume_from", record.resume_from},
               {"init_from", record.init_from},
               {"earlier_updates", record.earlier_updates},
               {"wall_seconds", record.wall_seconds},
               {"rollbacks", record.rollbacks}};
  if (record.ended_unix_ms != 0) json["ended_unix_ms"] = record.ended_unix_ms;
  if (!record.isa.empty()) json["isa"] = record.isa;
  if (!record.owner.empty()) json["owner"] = record.owner;
  if (record.scheduling != rpc::Scheduling{}) json["scheduling"] = ToJson(record.scheduling);
  if (!record.error.ok()) json["error"] = ErrorJson(record.error);
  return json;
}

StatusOr<JobRecord> JobRecordFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kJobRecordDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kJobRecordDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  JobRecord record;
  std::string state, reason;
  reader.String("state", state);
  reader.String("reason", reason);
  if (!ParseJobState(state, record.state)) reader.AddError("state", "is not a state of a job");
  if (!ParseReason(reason, record.reason)) reader.AddError("reason", "is not a reason");
  reader.String("message", record.message);
  reader.Int("attempt", record.attempt, {1, INT64_MAX});
  reader.String("contract", record.contract);
  reader.String("isa", record.isa);
  reader.Int("submitted_unix_ms", record.submitted_unix_ms);
  reader.Int("ended_unix_ms", record.ended_unix_ms);
  reader.String("resume_from", record.resume_from);
  reader.String("init_from", record.init_from);
  reader.Int("earlier_updates", record.earlier_updates, {0, INT64_MAX});
  reader.Double("wall_seconds", record.wall_seconds);
  reader.Int("rollbacks", record.rollbacks, {0, INT64_MAX});
  reader.String("owner", record.owner);
  if (const Json* child = reader.Child("scheduling"); child != nullptr) {
    JsonObjectReader scheduling(*child, reader.PathOf("scheduling"));
    record.scheduling = SchedulingFromJson(scheduling);
    reader.AddErrors(scheduling.Finish());
  }
  if (const Json* child = reader.Child("error"); child != nullptr) {
    JsonObjectReader error(*child, reader.PathOf("error"));
    std::string code;
    ErrorText text;
    error.String("code", code);
    error.String("message", text.message);
    error.String("where", text.where);
    error.String("remedy", text.remedy);
    reader.AddErrors(error.Finish());
    record.error = MakeError(ErrorCodeFromName(code), std::move(text));
  }
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kJobRecordDocument, status, where);
  return record;
}

std::string RecordText(const JobRecord& record) { return JsonText(ToJson(record)); }

std::string InitialWeightsText(const std::vector<std::string>& blocks) { return JsonText(blocks); }

}  // namespace dl::master
