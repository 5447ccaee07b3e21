#include "master/core/job/reports.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/job/scheduling.h"
#include "master/core/job/stored_documents.h"

namespace dl::master {
namespace {

Json MetricsJson(const nn::MetricSums& sums) {
  Json json = {{"loss", sums.loss()}};
  if (sums.has_accuracy()) json["accuracy"] = sums.accuracy();
  return json;
}

Json ErrorJson(const Status& error) {
  return {{"code", ErrorCodeName(error.code())},
          {"message", std::string(error.message())},
          {"where", ErrorWhere(error)},
          {"remedy", ErrorRemedy(error)}};
}

constexpr char kDistrusted[] = "distrusted_since_round";
constexpr char kDistrustedSource[] = "distrusted_source";

// Returns quarantined executors on whose unconfirmed results committed rounds up to `last` rest,
// with the first such round. A live job rolls back to before that round.
Json DistrustedExecutors(const Attestations& attestations, int64_t last,
                         const std::set<std::string>& quarantined) {
  Json distrusted = Json::object();
  for (const auto& [executor, since] : attestations.unverified_since) {
    if (since <= last && quarantined.contains(executor)) distrusted[executor] = since;
  }
  return distrusted;
}

// Returns quarantined executors on whose unconfirmed results the job's source checkpoint rests.
Json DistrustedSource(const Attestations& attestations, const std::set<std::string>& quarantined) {
  Json distrusted = Json::array();
  for (const std::string& executor : attestations.source_unverified) {
    if (quarantined.contains(executor)) distrusted.push_back(executor);
  }
  return distrusted;
}

// Adds a member to the text of an object that is not empty.
std::string WithMember(std::string object, std::string_view name, std::string_view value) {
  DL_CHECK(object.size() > 2 && object.back() == '}');
  object.pop_back();
  absl::StrAppend(&object, ",\"", std::string(name), "\":", std::string(value), "}");
  return object;
}

std::string EndedBegin() {
  return absl::StrCat(R"({"format":)", kEndedDocument.version(), R"(,"report":)");
}

// Traffic since the master's start.
Json TrafficJson(const Counts& counts) {
  const int64_t bytes = counts.traffic.fetched + counts.traffic.contributed;
  return {{"fetched_bytes", counts.traffic.fetched},
          {"contributed_bytes", counts.traffic.contributed},
          {"bytes_per_round", bytes / std::max<int64_t>(1, counts.merged_rounds)}};
}

// Exit codes of dl-submit that a job's end decides (docs/operations/commands.md).
int ExitCode(const JobRecord& record) {
  switch (record.state) {
    case JobState::kSucceeded:
      return 0;
    case JobState::kCancelled:
      return 3;
    case JobState::kRejected:
      return 78;
    default:
      return 1;
  }
}

// Returns a unit as JSON text. A job may have a thousand units, and building a Json would take ten
// times longer and delay the core.
std::string UnitText(const Unit& unit) {
  std::string leased_to;
  int64_t done = 0, total = 0;  // of the lease with the most progress
  for (const UnitLease& lease : unit.leases) {
    absl::StrAppend(&leased_to, leased_to.empty() ? "" : ",", Json(lease.executor).dump());
    done = std::max(done, lease.steps_done);
    total = std::max(total, lease.steps_total);
  }
  return absl::StrCat(R"({"index":)", unit.id.index, R"(,"kind":")",
                      unit.id.kind == UnitKind::kTrain ? "train" : "evaluate", R"(","leased_to":[)",
                      leased_to, R"(],"round":)", unit.id.round, R"(,"settled":)",
                      unit.Settled() ? "true" : "false", R"(,"steps_done":)", done,
                      R"(,"steps_total":)", total, "}");
}

}  // namespace

Json ResultReport(const Job& job, double wall_seconds, const std::set<std::string>& quarantined) {
  const int64_t examples = job.ExamplesUpTo(job.log.committed);
  Json metrics = Json::object();
  const LogRecord* last = job.log.LastCommit();
  if (job.log.committed > 0 && last != nullptr) metrics["train"] = MetricsJson(last->epoch_train);
  if (!job.log.evaluations.empty())
    metrics["test"] = MetricsJson(job.log.evaluations.rbegin()->second.test);
  Json json = {
      {"type", "result"},
      {"job", job.definition.id},
      {"state", JobStateName(job.record.state)},
      {"reason", ReasonName(job.record.reason)},
      {"exit_code", ExitCode(job.record)},
      {"attempt", job.record.attempt},
      {"epochs", job.log.committed <= 0 ? 0 : job.log.committed / job.definition.RoundsPerEpoch()},
      {"rounds", std::max<int64_t>(0, job.log.committed)},
      {"examples", examples},
      {"state_sha256", last == nullptr ? "" : last->names.state_sha256},
      {"metrics", metrics},
      {"wall_seconds", wall_seconds},
      {"traffic", TrafficJson(job.counts)},
      {"examples_per_second",
       wall_seconds > 0 ? static_cast<double>(examples) / wall_seconds : 0.0},
      {"checkpoint", job.checkpoints.empty() ? Json()
                                             : Json(absl::StrCat(job.definition.id, "@",
                                                                 job.checkpoints.rbegin()->first))},
      {"kernel_contract", job.record.contract}};
  const EarlyStoppingPolicy& policy = job.definition.early_stopping;
  if (policy.enabled && job.log.best.round >= 0) {
    json["early_stopping"] = {
        {"metric", policy.metric}, {"best", job.log.best.value}, {"round", job.log.best.round}};
  }
  if (job.record.rollbacks > 0) json["rollbacks"] = job.record.rollbacks;
  const Json distrusted = DistrustedExecutors(job.attestations, job.log.committed, quarantined);
  if (!distrusted.empty()) json[kDistrusted] = distrusted;
  const Json of_source = DistrustedSource(job.attestations, quarantined);
  if (!of_source.empty()) json[kDistrustedSource] = of_source;
  if (!job.record.error.ok()) json["error"] = ErrorJson(job.record.error);
  return json;
}

Json JobReport(const Job& job, Json json, const Excluded& excluded) {
  json.erase("type");
  json.erase("exit_code");
  json["name"] = job.definition.name;
  json["owner"] = job.record.owner;
  json["message"] = job.record.message;
  json["submitted_unix_ms"] = job.record.submitted_unix_ms;
  if (job.record.ended_unix_ms != 0) json["ended_unix_ms"] = job.record.ended_unix_ms;
  json["epochs_total"] = job.definition.epochs;
  json["rounds_total"] = job.definition.TotalRounds();
  json["workers"] = job.definition.plan.workers;
  json["seed"] = job.definition.seed;
  json["replayed_rounds"] = job.counts.replayed_rounds;
  json["expired_leases"] = job.counts.expired_leases;
  json["second_leases"] = job.counts.second_leases;
  json["standstills"] = job.counts.stalls;
  json["gathered_contributions"] = job.counts.gathered_contributions;
  json["gathered_sums"] = job.counts.gathered_sums;
  json["retries"] = {{"network", job.counts.network_retries},
                     {"master", job.counts.master_retries}};
  json["duplicate_results"] = job.counts.duplicate_results;
  for (const auto& [executor, kills] : job.kills) json["killed"][executor] = kills.in_a_row;
  json["excluded"] = excluded.for_contract;
  json["excluded_for_memory"] = excluded.for_memory;
  json["excluded_for_labels"] = excluded.for_labels;
  json["scheduling"] = ToJson(job.record.scheduling);
  json["unit_memory_bytes"] = job.definition.unit_bytes;
  // The executor that computed each worker last and has its data.
  json["placement"] = Json::object();
  for (const auto& [worker, executor] : job.affinity.last_executor) {
    json["placement"][absl::StrCat(worker)] = executor;
  }
  json["units"] = Json::array();
  return json;
}

std::string JobReportText(const Job& job, Json result, const Excluded& excluded) {
  std::string text = JsonText(JobReport(job, std::move(result), excluded));
  // The search finds the real key: a quote inside of a text is preceded by a backslash.
  constexpr std::string_view kNone = R"("units":[])";
  const size_t at = text.rfind(kNone);
  DL_CHECK(at != std::string::npos);
  std::string units;
  for (const auto& [index, unit] : job.units) {
    absl::StrAppend(&units, units.empty() ? "" : ",", UnitText(unit));
  }
  return text.insert(at + kNone.size() - 1, units);
}

namespace {

// The manifest is left out, because it may be large.
Json CheckpointJson(const Job& job, const CheckpointInfo& checkpoint) {
  const int64_t round = checkpoint.round;
  Json item = {
      {"checkpoint", ToString(CheckpointName{job.definition.id, round, checkpoint.set_aside})},
      {"round", round},
      {"epoch", round == 0 ? 0 : job.definition.EpochOf(round) + 1},
      {"state_sha256", checkpoint.names.state_sha256},
      {"parts", checkpoint.names.parts},
      {"pinned", checkpoint.pinned}};
  if (std::string contract = job.log.head.ContractOf(round); !contract.empty())
    item["kernel_contract"] = std::move(contract);
  return item;
}

void AppendItem(const Json& item, const CheckpointInfo& checkpoint, std::string& list) {
  absl::StrAppend(&list, list.size() > 1 ? "," : "",
                  WithMember(JsonText(item), "manifest", checkpoint.manifest));
}

}  // namespace

std::string CheckpointsText(const Job& job) {
  std::string list = "[";
  for (const auto& [name, checkpoint] : job.set_aside) {
    Json item = CheckpointJson(job, checkpoint);
    item["best"] = false;
    item["set_aside"] = checkpoint.set_aside;
    item["set_aside_unix_ms"] = checkpoint.set_aside_unix_ms;
    AppendItem(item, checkpoint, list);
  }
  for (const auto& [round, checkpoint] : job.checkpoints) {
    Json item = CheckpointJson(job, checkpoint);
    item["best"] = round == job.log.best.round;
    if (auto found = job.log.evaluations.find(round); found != job.log.evaluations.end()) {
      item["test"] = MetricsJson(found->second.test);
    }
    AppendItem(item, checkpoint, list);
  }
  return list + "]";
}

std::string EndedReportText(std::string_view report) {
  return absl::StrCat(EndedBegin(), std::string(report), "}");
}

std::optional<std::string> ReportIn(std::string document) {
  const std::string begin = EndedBegin();
  // A report is an object or a list, and the document's own brace follows it.
  const bool whole = document.size() > begin.size() + 2 && document.starts_with(begin) &&
                     (document.ends_with("}}") || document.ends_with("]}"));
  if (!whole) return std::nullopt;
  document.erase(0, begin.size());
  document.pop_back();
  return document;
}

std::string WithDistrusted(std::string report, const Attestations& attestations,
                           const std::set<std::string>& quarantined) {
  const Json distrusted = DistrustedExecutors(attestations, INT64_MAX, quarantined);
  const Json of_source = DistrustedSource(attestations, quarantined);
  if (!distrusted.empty())
    report = WithMember(std::move(report), kDistrusted, JsonText(distrusted));
  if (!of_source.empty())
    report = WithMember(std::move(report), kDistrustedSource, JsonText(of_source));
  return report;
}

}  // namespace dl::master
