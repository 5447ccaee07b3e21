#include "master/history.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/keys.h"
#include "master/core/job/reports.h"
#include "master/stored.h"

namespace dl::master {

StatusOr<Json> History::Kept(const std::string& what, const std::string& job) {
  const std::string record_key = keys::Job(job), key = keys::Ended(job);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> record_text, store_.Get(record_key));
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store_.Get(key));
  if (!record_text || !text) return Json();
  const StatusOr<Json> record = ParseStored(*record_text, record_key);
  const StatusOr<Json> kept = ParseStored(*text, key);
  if (!record.ok() || !record->is_object() || !kept.ok() || !kept->is_object()) return Json();
  const auto told = kept->find(what);
  if (told == kept->end()) return Json();
  // It is of an earlier attempt, where the job was resumed since.
  const bool same = told->value("state", "") == record->value("state", "") &&
                    told->value("attempt", 0) == record->value("attempt", 0);
  if (!same) return Json();
  // Since then an executor may have been found out whose word alone it rests on.
  DL_ASSIGN_OR_RETURN(const std::set<std::string> quarantined,
                      NamesUnder(store_, keys::kQuarantinePrefix));
  if (quarantined.empty()) return *told;
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> unverified,
                      store_.Get(keys::Unverified(job)));
  return unverified ? Json() : *told;
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
