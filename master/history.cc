#include "master/history.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/document_version.h"
#include "master/core/job/reports.h"
#include "master/core/job/stored_documents.h"
#include "master/core/record_keys.h"
#include "master/stored.h"

namespace dl::master {

StatusOr<Json> EndedReportFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kEndedDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kEndedDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  reader.Require("report");
  Json report;
  if (const Json* stored = reader.Child("report"); stored != nullptr) report = *stored;
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kEndedDocument, status, where);
  return report;
}

StatusOr<std::optional<std::string>> History::Stored(const std::string& what,
                                                     const std::string& job) {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> document, store_.Get(keys::Ended(job, what)));
  if (!document) return std::nullopt;
  std::optional<std::string> report = ReportIn(*std::move(document));
  if (!report || what == "checkpoints") return report;
  // An executor on whose results the job rests may have been quarantined after the job ended.
  const std::string key = keys::Unverified(job);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> unverified, store_.Get(key));
  if (!unverified) return report;
  DL_ASSIGN_OR_RETURN(const std::set<std::string> quarantined,
                      NamesUnder(store_, keys::kQuarantinePrefix));
  if (quarantined.empty()) return report;
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(*unverified, key));
  DL_ASSIGN_OR_RETURN(const Attestations attestations, UnverifiedFromJson(json, key));
  return WithDistrusted(*std::move(report), attestations, quarantined);
}

StatusOr<std::string> History::Tell(const std::string& what, const std::string& job,
                                    Instant deadline) {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> stored, Stored(what, job));
  if (stored) return *std::move(stored);
  DL_ASSIGN_OR_RETURN(const MemoryBudget::Charge turn, whole_jobs_.Take(1, deadline));
  DL_ASSIGN_OR_RETURN(const std::shared_ptr<const RecoveredJob> found, Find(job));
  if (found == nullptr) return NoSuchJob(job);
  const Job restored = Restored(*found);
  if (what == "checkpoints") {
    DL_RETURN_IF_ERROR(restored.damage);
    return CheckpointsText(restored);
  }
  DL_ASSIGN_OR_RETURN(const std::set<std::string> quarantined,
                      NamesUnder(store_, keys::kQuarantinePrefix));
  Json result = ResultReport(restored, restored.record.wall_seconds, quarantined);
  return JsonText(what == "result" ? result : JobReport(restored, std::move(result), {}));
}

}  // namespace dl::master
