#include "master/core/job.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "master/core/stored_documents.h"

namespace dl::master {

void Job::TakeDecision(const LogRecord& evaluation) {
  best = {evaluation.best_value, evaluation.best_round, evaluation.epochs_without_gain};
  stop_decided = evaluation.stop != 0;
}

void Job::SetHome(int32_t worker, const std::string& executor) {
  std::string& last = last_executor[worker];
  if (last == executor) return;
  if (const auto old = homes.find(last); old != homes.end()) {
    old->second.erase(worker);
    if (old->second.empty()) homes.erase(old);
  }
  last = executor;
  homes[executor].insert(worker);
  homeless.erase(worker);
}

void Job::UnitsChanged() {
  all_touched = true;
  touched_units.clear();
  gathers.clear();
  gathered.reset();
  summed_by.clear();
  homeless.clear();
  for (const auto& [index, unit] : units) {
    if (!last_executor.contains(index)) homeless.insert(index);
  }
}

void Job::TakeEvaluation(LogRecord evaluation) {
  TakeDecision(evaluation);
  evaluation.test.DropConfusion();  // of every epoch: the store keeps them
  const int64_t round = evaluation.round;
  evaluations.insert_or_assign(round, std::move(evaluation));
}

std::optional<LogRecord> Job::EvaluationUpTo(int64_t round) const {
  const auto behind = evaluations.upper_bound(round);
  if (behind == evaluations.begin()) return std::nullopt;
  return std::prev(behind)->second;
}

const LogRecord* Job::LastCommit() const {
  const auto found = commits.find(committed);
  return found == commits.end() ? nullptr : &found->second;
}

int64_t Job::PlaceOf(int64_t round) const {
  if (const auto found = commits.find(round); found != commits.end()) return found->second.place;
  const int64_t i = round - places_from;
  return i >= 0 && i < static_cast<int64_t>(places.size()) ? places[i] : LogHead::kUnknown;
}

void Job::TakeLog(JobLog log) {
  head = std::move(log.head);
  commits.clear();
  places = {};
  evaluations.clear();
  best = {};
  stop_decided = false;
  for (const auto& [round, checkpoint] : checkpoints) {
    if (checkpoint.evaluation) TakeEvaluation(*checkpoint.evaluation);
  }
  for (LogRecord& log_record : log.records) {
    switch (log_record.type) {
      case RecordType::kStart:
      case RecordType::kCommit:
        committed = log_record.round;
        commits.insert_or_assign(log_record.round, std::move(log_record));
        break;
      case RecordType::kEvaluation:
        TakeEvaluation(std::move(log_record));
        break;
      case RecordType::kRebind:
        break;
      case RecordType::kRollback:
        ForgetLogBehind(log_record.round);
        break;
    }
  }
  if (log.whole) NotePlaces();
}

void Job::NotePlaces() {
  if (committed < 0) return;
  places_noted = true;
  head.commit = commits.at(committed).place;
  head.evaluation = evaluations.empty() ? LogHead::kNone : evaluations.rbegin()->second.place;
  for (auto& [round, checkpoint] : checkpoints) {
    const auto commit = commits.find(round);
    if (checkpoint.place >= 0 || commit == commits.end()) continue;
    checkpoint.place = commit->second.place;
    checkpoint.evaluation = EvaluationUpTo(round);
  }
}

void Job::CloseLog() {
  places = {};
  to_prepare.reset();
  // The round before the last, too: results of the last round may still come.
  commits.erase(commits.begin(), commits.lower_bound(committed - 1));
  if (const auto last = commits.find(committed); last != commits.end())
    last->second.epoch_train.DropConfusion();
  TrimEvaluations();
}

void Job::TrimLog(int64_t commits_kept) {
  if (!replaying()) places = {};
  // The round before the state's: late results of the state's round began from it.
  commits.erase(commits.begin(), commits.lower_bound(std::min(at, committed - commits_kept) - 1));
  TrimEvaluations();
}

void Job::TrimEvaluations() {
  std::erase_if(evaluations, [&](const auto& entry) {
    const bool last = entry.first == evaluations.rbegin()->first;
    return !last && !checkpoints.contains(entry.first) && entry.first != writing_checkpoint;
  });
}

void Job::ForgetLogBehind(int64_t round) {
  committed = round;
  commits.erase(commits.upper_bound(round), commits.end());
  places = {};
  evaluations.erase(evaluations.upper_bound(round), evaluations.end());
  best = {};
  stop_decided = false;
  if (!evaluations.empty()) TakeDecision(evaluations.rbegin()->second);
}

bool Job::AllSettled() const {
  return std::all_of(units.begin(), units.end(),
                     [](const auto& entry) { return entry.second.Settled(); });
}

int64_t Job::ExamplesUpTo(int64_t round) const {
  if (round <= 0) return 0;
  const int64_t epochs_done = round / definition.RoundsPerEpoch();
  return epochs_done * definition.plan.examples +
         dataset::ExamplesOfRounds(definition.plan, round % definition.RoundsPerEpoch());
}

Status NoSuchJob(const std::string& id) {
  return NotFound(
      {.message = "there is no job " + id, .remedy = "List the jobs with: dl-submit list"});
}

std::optional<CheckpointName> ParseCheckpointName(const std::string& text) {
  const size_t at = text.rfind('@');
  CheckpointName name{.job = text.substr(0, at)};
  if (at == std::string::npos || !absl::SimpleAtoi(text.substr(at + 1), &name.round))
    return std::nullopt;
  return name;
}

uint64_t JobNumber(const std::string& id) {
  uint64_t number = 0;
  const size_t dash = id.rfind('-');
  if (dash == std::string::npos || !absl::SimpleAtoi(id.substr(dash + 1), &number)) return 0;
  return number;
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
  if (!record.isa.empty()) json["isa"] = record.isa;
  if (!record.error.ok()) {
    json["error"] = {{"code", ErrorCodeName(record.error.code())},
                     {"message", std::string(record.error.message())},
                     {"where", ErrorWhere(record.error)},
                     {"remedy", ErrorRemedy(record.error)}};
  }
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
  reader.String("resume_from", record.resume_from);
  reader.String("init_from", record.init_from);
  reader.Int("earlier_updates", record.earlier_updates, {0, INT64_MAX});
  reader.Double("wall_seconds", record.wall_seconds);
  reader.Int("rollbacks", record.rollbacks, {0, INT64_MAX});
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

Json UnverifiedJson(const Job& job) {
  Json since = Json::object();
  for (const auto& [executor, round] : job.unverified_since) since[executor] = round;
  return {{"format", kUnverifiedDocument.version()}, {"since", since}};
}

StatusOr<std::map<std::string, int64_t>> UnverifiedFromJson(const Json& json,
                                                            std::string_view where) {
  const auto document = BringToCurrent(kUnverifiedDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kUnverifiedDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  std::map<std::string, int64_t> rounds;
  reader.Require("since");
  if (const Json* since = reader.Child("since"); since != nullptr) {
    if (!since->is_object()) reader.AddError("since", "must be an object");
    for (const auto& [executor, round] : since->items()) {
      if (round.is_number_integer() && round.get<int64_t>() >= 1) {
        rounds.emplace(executor, round.get<int64_t>());
      } else {
        reader.AddError("since", "must hold rounds");
      }
    }
  }
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kUnverifiedDocument, status, where);
  return rounds;
}

Json ToJson(const CheckpointInfo& info) {
  Json json = {{"format", kCheckpointRecordDocument.version()},
               {"round", info.round},
               {"state", ToJson(info.names)},
               {"manifest", Json::parse(info.manifest)},
               {"place", info.place},
               {"pinned", info.pinned}};
  if (info.evaluation) {
    json["evaluation"] = ToJson(*info.evaluation);
    json["evaluation_place"] = info.evaluation->place;
  }
  return json;
}

StatusOr<CheckpointInfo> CheckpointInfoFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kCheckpointRecordDocument, json, where);
  if (!document.ok())
    return StoredDocumentError(kCheckpointRecordDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  CheckpointInfo info;
  for (const char* key : {"round", "pinned", "place"}) reader.Require(key);
  reader.Int("round", info.round, {0, INT64_MAX});
  reader.Int("place", info.place, {-1, INT64_MAX});
  reader.Bool("pinned", info.pinned);
  if (const Json* child = reader.Child("evaluation"); child != nullptr) {
    DL_ASSIGN_OR_RETURN(info.evaluation, LogRecordFromJson(*child, reader.PathOf("evaluation")));
    reader.Int("evaluation_place", info.evaluation->place, {-1, INT64_MAX});
  }
  if (const Json* state = reader.Child("state"); state == nullptr) {
    reader.AddError("state", "is missing");
  } else {
    reader.AddErrors(StateNamesFromJson(*state, reader.PathOf("state"), info.names));
  }
  if (const Json* manifest = reader.Child("manifest"); manifest == nullptr) {
    reader.AddError("manifest", "is missing");
  } else {
    info.manifest = manifest->dump();
  }
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kCheckpointRecordDocument, status, where);
  return info;
}

std::vector<int64_t> CheckpointsToDelete(const Job& job) {
  const CheckpointPolicy& policy = job.definition.checkpoint;
  std::set<int64_t> keep;
  int64_t newest = 0;
  for (auto it = job.checkpoints.rbegin(); it != job.checkpoints.rend(); ++it) {
    if (it->second.pinned) keep.insert(it->first);
    if (it->second.unusable) continue;
    if (newest++ < std::max<int64_t>(1, policy.keep_last)) keep.insert(it->first);
  }
  if (newest == 0) return {};  // better one that may be read another day than none
  std::vector<std::pair<double, int64_t>> judged;  // better first; ties: the older round
  for (const auto& [round, checkpoint] : job.checkpoints) {
    auto found = job.evaluations.find(round);
    if (found == job.evaluations.end() || checkpoint.unusable) continue;
    const double value = JudgedValue(job.definition.early_stopping, found->second.test);
    if (value == value)
      judged.emplace_back(job.definition.early_stopping.maximize ? -value : value, round);
  }
  std::sort(judged.begin(), judged.end());
  // Early stopping's best, which had to win by min_delta, is the first of them.
  int64_t best = policy.keep_best;
  if (best > 0 && job.HasCheckpoint(job.best.round)) {
    keep.insert(job.best.round);
    --best;
  }
  for (size_t i = 0; i < judged.size() && best > 0; ++i) {
    if (judged[i].second == job.best.round) continue;
    keep.insert(judged[i].second);
    --best;
  }
  std::vector<int64_t> surplus;
  for (const auto& [round, checkpoint] : job.checkpoints) {
    if (!keep.contains(round)) surplus.push_back(round);
  }
  return surplus;
}

}  // namespace dl::master
