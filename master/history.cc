#include "master/history.h"

#include <utility>

#include "base/json.h"
#include "master/core/records/report_record.h"
#include "master/core/records/unverified_record.h"
#include "master/stored.h"

namespace dl::master {

StatusOr<std::optional<std::string>> History::Stored(ReportKind kind, const std::string& job) {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> document, store_.Get(keys::Ended(job, kind)));
  if (!document) return std::nullopt;
  std::optional<std::string> report = ReportIn(*std::move(document));
  if (!report || kind == ReportKind::kCheckpoints) return report;
  // An executor on whose results the job rests may have been quarantined after the job ended.
  const std::string key = keys::Unverified(job);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> unverified, store_.Get(key));
  if (!unverified) return report;
  DL_ASSIGN_OR_RETURN(const std::set<std::string> quarantined,
                      NamesUnder(store_, keys::kQuarantinePrefix));
  if (quarantined.empty()) return report;
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(*unverified, key));
  DL_ASSIGN_OR_RETURN(const Attestations attestations, UnverifiedFromJson(json, key));
  return WithDistrusted(*std::move(report), MakeDistrustView(attestations, INT64_MAX, quarantined));
}

StatusOr<std::string> History::Report(ReportKind kind, const std::string& job, Instant deadline) {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> stored, Stored(kind, job));
  if (stored) return *std::move(stored);
  DL_ASSIGN_OR_RETURN(const MemoryBudget::Charge turn, whole_jobs_.Take(1, deadline));
  DL_ASSIGN_OR_RETURN(const std::shared_ptr<const RecoveredJob> found, Find(job));
  if (found == nullptr) return NoSuchJob(job);
  const Job restored = Restored(*found);
  if (kind == ReportKind::kCheckpoints) {
    DL_RETURN_IF_ERROR(restored.damage);
    return ReportText(MakeCheckpointsView(restored));
  }
  DL_ASSIGN_OR_RETURN(const std::set<std::string> quarantined,
                      NamesUnder(store_, keys::kQuarantinePrefix));
  ResultView result = MakeResultView(restored, restored.record.wall_seconds, quarantined);
  return kind == ReportKind::kResult ? ReportText(result)
                                     : ReportText(MakeJobView(restored, std::move(result)));
}

}  // namespace dl::master
