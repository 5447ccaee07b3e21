#include "master/recovery.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/unique.h"
#include "master/core/keys.h"

namespace dl::master {
namespace {

Status Damaged(std::string message, std::string where) {
  return DataLoss({.message = std::move(message),
                   .where = std::move(where),
                   .remedy = "Restore the data folder from a backup, or start with an empty one"});
}

StatusOr<uint64_t> ReadCounter(storage::MetaStore& store, const char* key) {
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store.Get(key));
  if (!text) return uint64_t{0};
  uint64_t value = 0;
  if (!absl::SimpleAtoi(*text, &value))
    return Damaged(absl::StrCat("\"", *text, "\" is not a number"), key);
  return value;
}

StatusOr<std::string> ReadDocument(storage::MetaStore& store, const std::string& key) {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> text, store.Get(key));
  if (!text) return Damaged("a document of a job is missing", key);
  return *std::move(text);
}

StatusOr<Json> ParseStored(std::string_view text, std::string_view key) {
  StatusOr<Json> json = ParseJson(text, key);
  if (!json.ok()) return Damaged(std::string(json.status().message()), std::string(key));
  return json;
}

// Keys and values are copied first: a visitor must not call the store, and parsing may fail with
// the key's name.
StatusOr<std::vector<std::pair<std::string, std::string>>> ReadAll(storage::MetaStore& store,
                                                                   std::string_view prefix) {
  std::vector<std::pair<std::string, std::string>> entries;
  DL_RETURN_IF_ERROR(store.Scan(prefix, [&](std::string_view key, std::string_view value) {
    entries.emplace_back(key, value);
    return absl::OkStatus();
  }));
  return entries;
}

Status LoadCheckpoints(storage::MetaStore& store, RecoveredJob& job) {
  DL_ASSIGN_OR_RETURN(const auto entries,
                      ReadAll(store, keys::CheckpointPrefix(job.definition.id)));
  for (const auto& [key, text] : entries) {
    DL_ASSIGN_OR_RETURN(const Json json, ParseStored(text, key));
    DL_ASSIGN_OR_RETURN(CheckpointInfo info, CheckpointInfoFromJson(json, key));
    if (key != keys::Checkpoint(job.definition.id, info.round)) {
      return Damaged("a checkpoint's record says another round than its key", key);
    }
    job.checkpoints.push_back(std::move(info));
  }
  return absl::OkStatus();
}

// Of a job that ended; all of it where the end alone was not kept.
StatusOr<JobLog> LoadEndOfLog(storage::MetaStore& store, const std::string& id) {
  const std::string key = keys::Ended(id);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store.Get(key));
  if (!text) return LoadLog(store, id);
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(*text, key));
  return JobLogFromJson(json, key);
}

StatusOr<RecoveredJob> LoadJob(storage::MetaStore& store, const std::string& id,
                               const DefinitionMaker& make_definition) {
  RecoveredJob job;
  DL_ASSIGN_OR_RETURN(const std::string record_text, ReadDocument(store, keys::Job(id)));
  DL_ASSIGN_OR_RETURN(const std::string spec, ReadDocument(store, keys::Spec(id)));
  DL_ASSIGN_OR_RETURN(const std::string train, ReadDocument(store, keys::TrainManifest(id)));
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> test, store.Get(keys::TestManifest(id)));
  StatusOr<JobDefinition> definition = make_definition(id, spec, train, test.value_or(""));
  if (!definition.ok()) return WithContext(definition.status(), absl::StrCat("loading job ", id));
  job.definition = *std::move(definition);
  job.definition.id = id;
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(record_text, keys::Job(id)));
  DL_ASSIGN_OR_RETURN(job.record, JobRecordFromJson(json, keys::Job(id)));
  DL_ASSIGN_OR_RETURN(job.log,
                      IsTerminal(job.record.state) ? LoadEndOfLog(store, id) : LoadLog(store, id));
  DL_RETURN_IF_ERROR(LoadCheckpoints(store, job));
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> unverified,
                      store.Get(keys::Unverified(id)));
  if (unverified) {
    DL_ASSIGN_OR_RETURN(const Json since, ParseStored(*unverified, keys::Unverified(id)));
    DL_ASSIGN_OR_RETURN(job.unverified_since, UnverifiedFromJson(since, keys::Unverified(id)));
  }
  return job;
}

// Of one job's documents; anything else (the store failed, is of a newer version) concerns all.
bool IsOfTheJob(const Status& status) {
  return absl::IsDataLoss(status) || absl::IsInvalidArgument(status) || absl::IsOutOfRange(status);
}

// The text behind `key` of a document that may be anything.
std::string TextIn(const StatusOr<std::optional<std::string>>& document, const char* key) {
  if (!document.ok() || !document->has_value()) return "";
  const StatusOr<Json> json = ParseJson(**document, key);
  if (!json.ok() || !json->is_object()) return "";
  const auto found = json->find(key);
  return found != json->end() && found->is_string() ? found->get<std::string>() : "";
}

// What people are shown of a job that cannot be loaded. It ended, as far as this master goes: one
// that was live cannot go on. Nothing of this is stored.
RecoveredJob DamagedJob(storage::MetaStore& store, const std::string& id, const Status& why) {
  RecoveredJob job;
  job.damage = DataLoss(
      {.message =
           absl::StrCat("the stored records of ", id, " are damaged: ", std::string(why.message())),
       .where = ErrorWhere(why).empty() ? id : ErrorWhere(why),
       .remedy = "Restore the data folder from a copy, or submit the job anew; what is left of "
                 "it stays as it is"});
  job.definition.id = id;
  job.definition.name = TextIn(store.Get(keys::Spec(id)), "name");
  job.definition.plan.examples = 1;
  job.definition.epochs = 0;
  const auto text = store.Get(keys::Job(id));
  if (text.ok() && text->has_value()) {
    const StatusOr<Json> json = ParseJson(**text, keys::Job(id));
    StatusOr<JobRecord> record =
        json.ok() ? JobRecordFromJson(*json, keys::Job(id)) : StatusOr<JobRecord>(json.status());
    if (record.ok()) job.record = *std::move(record);
  }
  if (!ParseJobState(TextIn(text, "state"), job.record.state) || !IsTerminal(job.record.state)) {
    job.record.state = JobState::kFailed;
    job.record.reason = Reason::kStorage;
  }
  job.record.message = std::string(job.damage.message());
  job.record.error = job.damage;
  return job;
}

// Of every job that has a record or a spec: a batch wrote them together.
StatusOr<std::set<std::string>> JobIds(storage::MetaStore& store) {
  std::set<std::string> ids;
  for (const std::string_view prefix : {keys::kJobPrefix, keys::kSpecPrefix}) {
    DL_RETURN_IF_ERROR(store.Scan(prefix, [&](std::string_view key, std::string_view) {
      ids.emplace(key.substr(prefix.size()));
      return absl::OkStatus();
    }));
  }
  return ids;
}

// Before anything is said that a predecessor's word could be taken for.
Status RaiseTerm(storage::MetaStore& store, RecoveredState& state) {
  storage::MetaBatch raise;
  raise.Put(keys::kTerm, absl::StrCat(state.term));
  DL_ASSIGN_OR_RETURN(state.secret, ReadCounter(store, keys::kSecret));
  if (state.secret == 0) {
    DL_ASSIGN_OR_RETURN(state.secret, UniqueNumber());
    raise.Put(keys::kSecret, absl::StrCat(state.secret));
  }
  DL_RETURN_IF_ERROR(store.Write(raise));
  state.start = static_cast<uint32_t>(state.term);
  return absl::OkStatus();
}

}  // namespace

StatusOr<JobLog> LoadLog(storage::MetaStore& store, const std::string& id) {
  JobLog log;
  DL_ASSIGN_OR_RETURN(const auto entries, ReadAll(store, keys::LogPrefix(id)));
  for (const auto& [key, text] : entries) {
    const std::string where =
        absl::StrCat("job ", id, ", record ", log.length, " of its round log");
    if (key != keys::LogRecord(id, log.length))
      return Damaged("a record of the round log is missing", where);
    DL_ASSIGN_OR_RETURN(const Json json, ParseStored(text, where));
    DL_ASSIGN_OR_RETURN(LogRecord record, LogRecordFromJson(json, where));
    if (record.previous != log.last_sha256) {
      return Damaged(
          "the chain of the round log is broken: this record does not follow from the one before "
          "it",
          where);
    }
    log.last_sha256 = Sha256Hex(text);
    record.test.DropConfusion();  // of every epoch: the store keeps them
    log.records.push_back(std::move(record));
    ++log.length;
  }
  DL_RETURN_IF_ERROR(CheckLog(log.records, id));
  return log;
}

StatusOr<UserAction> ReadyForCore(storage::MetaStore& store, rpc::JobActionRequest request) {
  UserAction action{.request = std::move(request)};
  if (action.request.action == rpc::JobAction::kResume) {
    DL_ASSIGN_OR_RETURN(action.log, LoadLog(store, action.request.job));
  }
  return action;
}

StatusOr<RecoveredState> LoadState(storage::MetaStore& store,
                                   const DefinitionMaker& make_definition) {
  RecoveredState state;
  DL_ASSIGN_OR_RETURN(const uint64_t last_term, ReadCounter(store, keys::kTerm));
  state.term = last_term + 1;
  DL_ASSIGN_OR_RETURN(state.jobs_created, ReadCounter(store, keys::kJobsCreated));
  DL_ASSIGN_OR_RETURN(const auto requests, ReadAll(store, keys::kRequestPrefix));
  for (const auto& [key, answer] : requests) {
    const std::string rest = key.substr(std::string_view(keys::kRequestPrefix).size());
    const size_t slash = rest.find('/');
    AnsweredRequest request{.answer = answer};
    if (slash == std::string::npos || !absl::SimpleAtoi(rest.substr(0, slash), &request.number)) {
      return Damaged("a remembered request has no number", key);
    }
    request.id = rest.substr(slash + 1);
    state.requests.push_back(std::move(request));
  }
  DL_ASSIGN_OR_RETURN(const auto quarantined, ReadAll(store, keys::kQuarantinePrefix));
  for (const auto& [key, value] : quarantined) {
    state.quarantined.insert(key.substr(std::string_view(keys::kQuarantinePrefix).size()));
  }
  DL_ASSIGN_OR_RETURN(const std::set<std::string> ids, JobIds(store));
  for (const std::string& id : ids) {
    StatusOr<RecoveredJob> job = LoadJob(store, id, make_definition);
    if (!job.ok() && !IsOfTheJob(job.status())) return job.status();
    state.jobs.push_back(job.ok() ? *std::move(job) : DamagedJob(store, id, job.status()));
    // No number is given twice, whatever became of the counter.
    state.jobs_created = std::max(state.jobs_created, JobNumber(id));
  }
  std::stable_sort(state.jobs.begin(), state.jobs.end(),
                   [](const RecoveredJob& a, const RecoveredJob& b) {
                     return JobNumber(a.definition.id) < JobNumber(b.definition.id);
                   });
  DL_RETURN_IF_ERROR(RaiseTerm(store, state));
  return state;
}

}  // namespace dl::master
