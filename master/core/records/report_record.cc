#include "master/core/records/report_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/document_version.h"
#include "base/json.h"
#include "master/core/records/job_record.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {
namespace {

constexpr char kDistrusted[] = "distrusted_since_round";
constexpr char kDistrustedSource[] = "distrusted_source";

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

// Adds what the reports of a result and of a job share.
Json ResultJson(const ResultView& result) {
  Json metrics = Json::object();
  if (result.train) metrics["train"] = ToJson(*result.train);
  if (result.test) metrics["test"] = ToJson(*result.test);
  Json json = {{"job", result.job},
               {"state", JobStateName(result.state)},
               {"reason", ReasonName(result.reason)},
               {"attempt", result.attempt},
               {"epochs", result.epochs},
               {"rounds", result.rounds},
               {"examples", result.examples},
               {"state_sha256", result.state_sha256},
               {"metrics", metrics},
               {"wall_seconds", result.wall_seconds},
               {"traffic",
                {{"fetched_bytes", result.traffic.fetched},
                 {"contributed_bytes", result.traffic.contributed},
                 {"bytes_per_round", result.bytes_per_round}}},
               {"examples_per_second", result.examples_per_second()},
               {"checkpoint", result.checkpoint.empty() ? Json() : Json(result.checkpoint)},
               {"kernel_contract", result.kernel_contract}};
  if (const auto& early = result.early_stopping) {
    json["early_stopping"] = {
        {"metric", early->metric}, {"best", early->best}, {"round", early->round}};
  }
  if (result.rollbacks > 0) json["rollbacks"] = result.rollbacks;
  if (!result.distrust.since_round.empty()) json[kDistrusted] = result.distrust.since_round;
  if (!result.distrust.source.empty()) json[kDistrustedSource] = result.distrust.source;
  if (!result.error.ok()) json["error"] = ErrorJson(result.error);
  return json;
}

Json CountsJson(const Counts& counts) {
  return {{"replayed_rounds", counts.replayed_rounds},
          {"expired_leases", counts.expired_leases},
          {"second_leases", counts.second_leases},
          {"stalls", counts.stalls},
          {"gathered_contributions", counts.gathered_contributions},
          {"gathered_sums", counts.gathered_sums},
          {"retries", {{"network", counts.network_retries}, {"master", counts.master_retries}}},
          {"duplicate_results", counts.duplicate_results}};
}

// The list of units is empty.
Json JobJson(const JobView& job) {
  Json json = ResultJson(job.result);
  json.update(CountsJson(job.counts));
  json["name"] = job.name;
  json["owner"] = job.owner;
  json["message"] = job.message;
  AddRemedy(job.remedy, json);
  json["submitted_unix_ms"] = job.submitted_unix_ms;
  if (job.ended_unix_ms != 0) json["ended_unix_ms"] = job.ended_unix_ms;
  json["epochs_total"] = job.epochs_total;
  json["rounds_total"] = job.rounds_total;
  json["workers"] = job.workers;
  json["seed"] = job.seed;
  if (!job.killed.empty()) json["killed"] = job.killed;
  json["excluded"] = job.excluded.for_contract;
  json["excluded_for_memory"] = job.excluded.for_memory;
  json["excluded_for_labels"] = job.excluded.for_labels;
  json["scheduling"] = ToJson(job.scheduling);
  json["unit_memory_bytes"] = job.unit_memory_bytes;
  json["placement"] = Json::object();
  for (const auto& [worker, executor] : job.placement)
    json["placement"][absl::StrCat(worker)] = executor;
  json["units"] = Json::array();
  if (job.queue) json["queue"] = {{"position", job.queue->position}, {"ahead", job.queue->ahead}};
  return json;
}

void AppendUnit(const UnitView& unit, std::string& list) {
  absl::StrAppend(&list, list.size() > 1 ? "," : "", R"({"index":)", unit.index, R"(,"kind":")",
                  unit.kind == UnitKind::kTrain ? "train" : "evaluate", R"(","leased_to":)",
                  Json(unit.leased_to).dump(), R"(,"round":)", unit.round, R"(,"settled":)",
                  unit.settled ? "true" : "false", R"(,"steps_done":)", unit.steps_done,
                  R"(,"steps_total":)", unit.steps_total, "}");
}

Json CheckpointJson(const CheckpointView& checkpoint) {
  Json json = {{"checkpoint", checkpoint.checkpoint},
               {"round", checkpoint.round},
               {"epoch", checkpoint.epoch},
               {"state_sha256", checkpoint.state_sha256},
               {"parts", checkpoint.parts},
               {"pinned", checkpoint.pinned},
               {"best", checkpoint.best}};
  if (!checkpoint.kernel_contract.empty()) json["kernel_contract"] = checkpoint.kernel_contract;
  if (checkpoint.test) json["test"] = ToJson(*checkpoint.test);
  if (checkpoint.set_aside > 0) {
    json["set_aside"] = checkpoint.set_aside;
    json["set_aside_unix_ms"] = checkpoint.set_aside_unix_ms;
  }
  return json;
}

}  // namespace

Json ToJson(const MetricsView& metrics) {
  Json json = {{"loss", metrics.loss}};
  if (metrics.accuracy) json["accuracy"] = *metrics.accuracy;
  return json;
}

Json ToJson(const ResultView& result) {
  Json json = ResultJson(result);
  json["type"] = "result";
  return json;
}

std::string ReportText(const ResultView& result) { return JsonText(ToJson(result)); }

std::string ReportText(const JobView& job) {
  std::string units = "[";
  for (const UnitView& unit : job.units) AppendUnit(unit, units);
  std::string text = JsonText(JobJson(job));
  // The search finds the real key: a quote inside of a text is preceded by a backslash.
  constexpr std::string_view kNone = R"("units":[])";
  const size_t at = text.rfind(kNone);
  DL_CHECK(at != std::string::npos);
  return text.replace(at + kNone.size() - 2, 2, units + "]");
}

std::string ReportText(const CheckpointsView& checkpoints) {
  std::string list = "[";
  for (const CheckpointView& checkpoint : checkpoints.checkpoints) {
    absl::StrAppend(
        &list, list.size() > 1 ? "," : "",
        WithMember(JsonText(CheckpointJson(checkpoint)), "manifest", checkpoint.manifest));
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

StatusOr<Json> EndedReportFromJson(const Json& json, std::string_view where) {
  const auto document = UpgradeToCurrent(kEndedDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kEndedDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  reader.Require("report");
  Json report;
  if (const Json* stored = reader.Child("report"); stored != nullptr) report = *stored;
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kEndedDocument, status, where);
  return report;
}

std::string WithDistrusted(std::string report, const DistrustView& distrust) {
  if (!distrust.since_round.empty())
    report = WithMember(std::move(report), kDistrusted, JsonText(Json(distrust.since_round)));
  if (!distrust.source.empty())
    report = WithMember(std::move(report), kDistrustedSource, JsonText(Json(distrust.source)));
  return report;
}

}  // namespace dl::master
