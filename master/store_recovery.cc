#include "master/store_recovery.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/unique.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"
#include "master/core/records/event_sequence_record.h"
#include "master/core/records/job_record.h"
#include "master/core/records/unverified_record.h"
#include "master/log_reading.h"
#include "master/stored.h"
#include "storage/series/series_blocks.h"
#include "storage/timeline/stored_timeline.h"

namespace dl::master {
namespace {

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

Status LoadCheckpoints(storage::MetaStore& store, RecoveredJob& job) {
  DL_ASSIGN_OR_RETURN(const auto entries,
                      ReadAll(store, keys::CheckpointPrefix(job.definition.id)));
  for (const auto& [key, text] : entries) {
    DL_ASSIGN_OR_RETURN(const Json json, ParseStored(text, key));
    DL_ASSIGN_OR_RETURN(CheckpointInfo info, CheckpointInfoFromJson(json, key));
    const std::string right = info.set_aside > 0
                                  ? keys::SetAside(job.definition.id, info.round, info.set_aside)
                                  : keys::Checkpoint(job.definition.id, info.round);
    if (key != right) {
      return Damaged("a checkpoint's record says another round than its key", key);
    }
    job.checkpoints.push_back(std::move(info));
  }
  return absl::OkStatus();
}

// Updates the record's source to its current name, if the source was set aside after the record was
// written.
Status RenameSource(storage::MetaStore& store, const std::string& id, JobRecord& record) {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> name, store.Get(keys::RenamedSource(id)));
  if (!name) return absl::OkStatus();
  std::string& source = record.resume_from.empty() ? record.init_from : record.resume_from;
  source = *std::move(name);
  return absl::OkStatus();
}

// Returns the manifest of the checkpoint from which a job begins; empty if there is none, or it was
// deleted.
StatusOr<std::string> ManifestOf(storage::MetaStore& store, const JobRecord& record) {
  const std::string& source = record.resume_from.empty() ? record.init_from : record.resume_from;
  const std::optional<CheckpointName> name = ParseCheckpointName(source);
  if (!name) return "";
  const std::string key = name->set_aside > 0
                              ? keys::SetAside(name->job, name->round, name->set_aside)
                              : keys::Checkpoint(name->job, name->round);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store.Get(key));
  if (!text) return "";
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(*text, key));
  DL_ASSIGN_OR_RETURN(const CheckpointInfo info, CheckpointInfoFromJson(json, key));
  return info.manifest;
}

// Returns a timeline that is not continued if its records are damaged.
StatusOr<JobTimeline> LoadTimeline(storage::MetaStore& store, const std::string& id) {
  const storage::StoredTimeline stored(store, id);
  JobTimeline timeline;
  const auto rounds = stored.Rounds();
  const auto executors = stored.Executors();
  for (const Status& status : {rounds.status(), executors.status()}) {
    if (absl::IsDataLoss(status)) return JobTimeline{.failed = true};
    DL_RETURN_IF_ERROR(status);
  }
  timeline.rounds = *rounds;
  timeline.executors = *executors;
  return timeline;
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
  DL_RETURN_IF_ERROR(RenameSource(store, id, job.record));
  DL_ASSIGN_OR_RETURN(job.log, LoadLog(store, id));
  DL_RETURN_IF_ERROR(LoadCheckpoints(store, job));
  DL_ASSIGN_OR_RETURN(job.begins_from_manifest, ManifestOf(store, job.record));
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> unverified, store.Get(keys::Unverified(id)));
  if (unverified) {
    DL_ASSIGN_OR_RETURN(const Json since, ParseStored(*unverified, keys::Unverified(id)));
    DL_ASSIGN_OR_RETURN(job.attestations, UnverifiedFromJson(since, keys::Unverified(id)));
  }
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> told, store.Get(keys::EventSequence(id)));
  if (told) {
    DL_ASSIGN_OR_RETURN(const Json json_told, ParseStored(*told, keys::EventSequence(id)));
    DL_ASSIGN_OR_RETURN(job.event_sequence,
                        EventSequenceFromJson(json_told, keys::EventSequence(id)));
  }
  StatusOr<storage::SeriesColumns> series = storage::SeriesBlocks(store, id).Columns();
  // A job runs without its figures.
  if (series.ok())
    job.series = *std::move(series);
  else if (absl::IsDataLoss(series.status()))
    job.series_damaged = true;
  else
    return series.status();
  DL_ASSIGN_OR_RETURN(job.timeline, LoadTimeline(store, id));
  return job;
}

// Whether the error concerns one job's documents. Other errors (the store failed, a newer version)
// concern all jobs.
bool IsOfTheJob(const Status& status) {
  return absl::IsDataLoss(status) || absl::IsInvalidArgument(status) || absl::IsOutOfRange(status);
}

// Returns the text of `key` in a document of any form, or an empty string.
std::string TextIn(const std::optional<std::string>& document, const char* key) {
  if (!document) return "";
  const StatusOr<Json> json = ParseJson(*document, key);
  if (!json.ok() || !json->is_object()) return "";
  const auto found = json->find(key);
  return found != json->end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns the job's record, or what can be read of a damaged one. If the state cannot be read, the
// job counts as running. Returns VersionMismatch if a newer build wrote the record.
StatusOr<JobRecord> RecordOf(storage::MetaStore& store, const std::string& id) {
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store.Get(keys::Job(id)));
  JobRecord lost{.state = JobState::kRunning};
  if (!text) return lost;
  const StatusOr<Json> json = ParseJson(*text, keys::Job(id));
  StatusOr<JobRecord> record =
      json.ok() ? JobRecordFromJson(*json, keys::Job(id)) : StatusOr<JobRecord>(json.status());
  if (record.ok() || absl::IsUnimplemented(record.status())) return record;
  if (JobState state{}; ParseJobState(TextIn(text, "state"), state)) lost.state = state;
  return lost;
}

// Keeps the job's source until the job has a checkpoint of its round 0.
Status UpdateWantedSource(storage::MetaStore& store, const std::string& id, const JobRecord& record,
                          RecoveredState& state) {
  for (const std::string& source : {record.resume_from, record.init_from}) {
    if (source.empty() || record.state == JobState::kSucceeded) continue;
    DL_ASSIGN_OR_RETURN(const auto first, store.Get(keys::Checkpoint(id, 0)));
    if (!first) state.wanted.emplace(source, id);
  }
  return absl::OkStatus();
}

// Restores the order of submission, which an accepted loss may have removed, from the numbers in
// the jobs' ids.
Status NumberJobs(storage::MetaStore& store, const std::set<std::string>& ids) {
  std::set<std::string> numbered;
  DL_RETURN_IF_ERROR(store.Scan(keys::kNumberPrefix, [&](std::string_view, std::string_view id) {
    numbered.emplace(id);
    return absl::OkStatus();
  }));
  storage::MetaBatch batch;
  for (const std::string& id : ids) {
    if (!numbered.contains(id)) batch.Put(keys::Number(JobNumber(id)), id);
    if (batch.bytes() < static_cast<uint64_t>(limits::kMetaFullBatchBytes)) continue;
    DL_RETURN_IF_ERROR(store.Write(batch));
    batch = {};
  }
  return store.Write(batch);
}

// Returns what users see of a job that cannot be loaded. It counts as ended in this process of the
// master, because a live job cannot continue. This is not stored.
RecoveredJob DamagedJob(storage::MetaStore& store, const std::string& id, const Status& why) {
  RecoveredJob job;
  job.damage = DataLoss({.message = absl::StrCat("the stored records of ", id,
                                                 " are damaged: ", std::string(why.message())),
                         .where = ErrorWhere(why).empty() ? id : ErrorWhere(why),
                         .remedy = "Restore the data folder from a copy, or submit the job again; "
                                   "its remaining records are not changed"});
  job.definition.id = id;
  if (const auto spec = store.Get(keys::Spec(id)); spec.ok())
    job.definition.name = TextIn(*spec, "name");
  job.definition.plan.examples = 1;
  job.definition.epochs = 0;
  if (StatusOr<JobRecord> record = RecordOf(store, id); record.ok())
    job.record = *std::move(record);
  if (!IsTerminal(job.record.state)) {
    job.record.state = JobState::kFailed;
    job.record.reason = Reason::kStorage;
  }
  job.record.message = std::string(job.damage.message());
  job.record.error = job.damage;
  return job;
}

// Returns the ids of all jobs that have a record or a spec. A batch wrote them together.
StatusOr<std::set<std::string>> JobIds(storage::MetaStore& store) {
  DL_ASSIGN_OR_RETURN(std::set<std::string> ids, NamesUnder(store, keys::kJobPrefix));
  DL_ASSIGN_OR_RETURN(std::set<std::string> described, NamesUnder(store, keys::kSpecPrefix));
  ids.merge(described);
  return ids;
}

// Returns the incarnations of executors that were told to leave.
StatusOr<std::map<std::string, uint64_t>> LeavingExecutors(storage::MetaStore& store) {
  DL_ASSIGN_OR_RETURN(const std::set<std::string> names, NamesUnder(store, keys::kLeavingPrefix));
  std::map<std::string, uint64_t> leaving;
  for (const std::string& name : names) {
    DL_ASSIGN_OR_RETURN(leaving[name], ReadCounter(store, keys::Leaving(name).c_str()));
  }
  return leaving;
}

StatusOr<StoredQuarantine> ReadQuarantine(storage::MetaStore& store) {
  StoredQuarantine quarantine;
  DL_ASSIGN_OR_RETURN(const auto executors, ReadAll(store, keys::kQuarantinePrefix));
  for (const auto& [key, token] : executors)
    quarantine.executors[key.substr(std::string_view(keys::kQuarantinePrefix).size())] = token;
  DL_ASSIGN_OR_RETURN(quarantine.known, NamesUnder(store, keys::kKnownPrefix));
  return quarantine;
}

// Must be durable before any message is sent, so that no message can be taken for the
// predecessor's.
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

StatusOr<std::optional<int64_t>> EndOf(storage::MetaStore& store, const std::string& id) {
  DL_ASSIGN_OR_RETURN(const JobRecord record, RecordOf(store, id));
  if (!IsTerminal(record.state)) return std::nullopt;
  return record.ended_unix_ms;
}

StatusOr<std::shared_ptr<const RecoveredJob>> FindEnded(storage::MetaStore& store,
                                                        const std::string& id,
                                                        const DefinitionMaker& make_definition) {
  // A damaged job that was live at the master's start is in the core's memory.
  DL_ASSIGN_OR_RETURN(const std::optional<int64_t> ended, EndOf(store, id));
  if (!ended) return nullptr;
  StatusOr<RecoveredJob> job = LoadJob(store, id, make_definition);
  if (!job.ok() && !IsOfTheJob(job.status())) return job.status();
  return std::make_shared<const RecoveredJob>(job.ok() ? *std::move(job)
                                                       : DamagedJob(store, id, job.status()));
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
  DL_ASSIGN_OR_RETURN(state.quarantine, ReadQuarantine(store));
  DL_ASSIGN_OR_RETURN(state.leaving, LeavingExecutors(store));
  DL_ASSIGN_OR_RETURN(const std::set<std::string> ids, JobIds(store));
  std::set<std::string> succeeded;
  for (const std::string& id : ids) {
    // Numbers are never reused, even if the counter was lost.
    state.jobs_created = std::max(state.jobs_created, JobNumber(id));
    DL_ASSIGN_OR_RETURN(JobRecord record, RecordOf(store, id));
    DL_RETURN_IF_ERROR(RenameSource(store, id, record));
    DL_RETURN_IF_ERROR(UpdateWantedSource(store, id, record, state));
    if (record.state == JobState::kSucceeded) succeeded.insert(id);
    if (IsTerminal(record.state)) continue;
    StatusOr<RecoveredJob> job = LoadJob(store, id, make_definition);
    if (!job.ok() && !IsOfTheJob(job.status())) return job.status();
    state.jobs.push_back(job.ok() ? *std::move(job) : DamagedJob(store, id, job.status()));
  }
  // The end of a predecessor is durable before the records of jobs that begin after it are updated.
  for (RecoveredJob& job : state.jobs) {
    std::string& after = job.record.scheduling.after;
    if (succeeded.contains(after)) after.clear();
  }
  DL_RETURN_IF_ERROR(NumberJobs(store, ids));
  std::stable_sort(state.jobs.begin(), state.jobs.end(),
                   [](const RecoveredJob& a, const RecoveredJob& b) {
                     return JobNumber(a.definition.id) < JobNumber(b.definition.id);
                   });
  DL_RETURN_IF_ERROR(RaiseTerm(store, state));
  return state;
}

}  // namespace dl::master
