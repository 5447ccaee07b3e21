#include "master/history.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/document_version.h"
#include "master/core/job/reports.h"
#include "master/core/job/stored_documents.h"
#include "master/core/keys.h"
#include "master/stored.h"

namespace dl::master {

StatusOr<EndedReport> EndedReportFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kEndedDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kEndedDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  EndedReport report;
  for (const auto& [key, told] :
       {std::pair("result", &report.result), std::pair("job", &report.job)}) {
    reader.Require(key);
    if (const Json* answer = reader.Child(key); answer != nullptr) *told = *answer;
  }
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kEndedDocument, status, where);
  return report;
}

StatusOr<Json> History::Kept(const std::string& what, const std::string& job) {
  const std::string record_key = keys::Job(job), key = keys::Ended(job);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> record_text, store_.Get(record_key));
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store_.Get(key));
  if (!record_text || !text) return Json();
  const StatusOr<Json> record_json = ParseStored(*record_text, record_key);
  const StatusOr<Json> json = ParseStored(*text, key);
  if (!record_json.ok() || !json.ok()) return Json();
  const StatusOr<JobRecord> record = JobRecordFromJson(*record_json, record_key);
  const StatusOr<EndedReport> kept = EndedReportFromJson(*json, key);
  if (!record.ok() || !kept.ok()) return Json();
  const Json& told = what == "result" ? kept->result : kept->job;
  // It is of an earlier attempt, where the job was resumed since.
  const bool same = (what == "result" || what == "job") && told.is_object() &&
                    told.value("state", "") == JobStateName(record->state) &&
                    told.value("attempt", int64_t{0}) == record->attempt;
  if (!same) return Json();
  // Since then an executor may have been found out whose word alone it rests on.
  DL_ASSIGN_OR_RETURN(const std::set<std::string> quarantined,
                      NamesUnder(store_, keys::kQuarantinePrefix));
  if (quarantined.empty()) return told;
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> unverified,
                      store_.Get(keys::Unverified(job)));
  return unverified ? Json() : told;
}

StatusOr<Json> History::Tell(const std::string& what, const std::string& job) {
  DL_ASSIGN_OR_RETURN(Json kept, Kept(what, job));
  if (!kept.is_null()) return kept;
  DL_ASSIGN_OR_RETURN(const std::shared_ptr<const RecoveredJob> found, Find(job));
  if (found == nullptr) return NoSuchJob(job);
  const Job restored = Restored(*found);
  if (what == "checkpoints") {
    DL_RETURN_IF_ERROR(restored.damage);
    return CheckpointsReport(restored);
  }
  DL_ASSIGN_OR_RETURN(const std::set<std::string> quarantined,
                      NamesUnder(store_, keys::kQuarantinePrefix));
  Json result = ResultReport(restored, restored.record.wall_seconds, quarantined);
  return what == "result" ? result : JobReport(restored, std::move(result), {});
}

}  // namespace dl::master
