#include "web/pages/job_page_documents.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "web/api/job_routes.h"
#include "web/documents/dataset_description.h"
#include "web/documents/diagnosis.h"
#include "web/documents/evaluation_document.h"
#include "web/documents/model_document.h"
#include "web/documents/recent_events.h"
#include "web/documents/settings_document.h"
#include "web/documents/timeline_document.h"

namespace dl::web {
namespace {

constexpr size_t kNotable = 12;      // newest events of the overview
constexpr size_t kOverviewed = 400;  // events from which the overview takes epochs and marks
constexpr size_t kEventsOfPage = 200;
// More compared jobs are the rows of the table of settings, otherwise its columns.
constexpr size_t kMostColumns = 8;
constexpr size_t kMostSettings = 24;  // columns if jobs are rows

std::string IdOf(const Json& context) { return context["job"].value("job", ""); }

StatusOr<std::string> Text(rpc::ClientService& master, rpc::QueryKind what, const std::string& job,
                           int64_t first = 0, int64_t* next = nullptr) {
  DL_ASSIGN_OR_RETURN(
      rpc::QueryReply reply,
      master.Query({.what = what, .job = job, .first = first}, limits::kControlDeadline));
  if (next != nullptr) *next = reply.next_first;
  return std::move(reply.json);
}

StatusOr<Json> Document(rpc::ClientService& master, rpc::QueryKind what, const std::string& job) {
  DL_ASSIGN_OR_RETURN(const std::string text, Text(master, what, job));
  return ParseJson(text, job);
}

// Returns all records of the round log from number `first` on.
StatusOr<Json> RecordsFrom(rpc::ClientService& master, const std::string& job, int64_t first) {
  Json records = Json::array();
  for (int64_t next = first; next > 0 || next == first;) {
    const int64_t from = next;
    DL_ASSIGN_OR_RETURN(const std::string text,
                        Text(master, rpc::QueryKind::kLog, job, from, &next));
    DL_ASSIGN_OR_RETURN(Json page, ParseJson(text, job));
    for (Json& record : page) records.push_back(std::move(record));
    if (next <= from) break;
  }
  return records;
}

// Returns the newest evaluation that counts, or null. The log can only be read forwards, so it is
// read from ever earlier places near its expected end.
StatusOr<Json> NewestEvaluation(rpc::ClientService& master, const Json& job) {
  constexpr int64_t kFirstStep = 8, kGrowth = 16;
  const int64_t expected = job.value("rounds", int64_t{0}) + job.value("epochs", int64_t{0});
  for (int64_t step = kFirstStep;; step *= kGrowth) {
    const int64_t first = std::max<int64_t>(0, expected - step);
    DL_ASSIGN_OR_RETURN(const Json records, RecordsFrom(master, job.value("job", ""), first));
    if (const Json* evaluation = LastEvaluation(records)) return *evaluation;
    if (first == 0) return Json();
  }
}

std::vector<std::string> ClassNames(const Json& manifest) {
  std::vector<std::string> names;
  const auto schema = manifest.find("schema");
  if (schema == manifest.end() || !schema->is_object()) return names;
  for (const Json& name : schema->value("class_names", Json::array()))
    names.push_back(name.is_string() ? name.get<std::string>() : "");
  return names;
}

// Makes the jobs the rows of the table of settings.
void AddRowsOfSettings(const std::vector<Json>& jobs, Json& comparison) {
  Json& settings = comparison["settings"];
  if (settings.size() > kMostSettings) {
    comparison["more"] = settings.size() - kMostSettings;
    settings.erase(settings.begin() + kMostSettings, settings.end());
  }
  Json rows = Json::array();
  for (size_t i = 0; i < jobs.size(); ++i) {
    Json values = Json::array();
    for (const Json& setting : settings) values.push_back(setting["values"][i]);
    rows.push_back({{"job", jobs[i].value("job", "")}, {"values", std::move(values)}});
  }
  comparison["rows"] = std::move(rows);
}

// The record of an evaluation has sums over normalized targets. The series of the job have the
// errors in the unit of the data. An error that no series has is left out.
Status UseUnitOfData(rpc::ClientService& master, const std::string& job, Json& evaluation) {
  const int64_t round = evaluation.value("round", int64_t{0});
  DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply, master.Query({.what = rpc::QueryKind::kSeries,
                                                                 .job = job,
                                                                 .first = round,
                                                                 .series = "test/mse,test/mae",
                                                                 .last = round},
                                                                limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(const Json series, ParseJson(reply.json, job));
  Json metrics = Json::array();
  for (Json& metric : evaluation["metrics"]) {
    const std::string key = metric.value("key", "");
    if (key == "mse" || key == "mae") {
      metric["value"] = nullptr;
      for (const Json& curve : series.value("curves", Json::array())) {
        const Json means = curve.value("mean", Json::array());
        if (curve.value("name", "") == "test/" + key && !means.empty())
          metric["value"] = means.back();
      }
      if (!metric["value"].is_number()) continue;
    }
    metrics.push_back(std::move(metric));
  }
  evaluation["metrics"] = std::move(metrics);
  return absl::OkStatus();
}

}  // namespace

Status AddCheckpoints(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const std::string text,
                      JobDocument(master, rpc::QueryKind::kCheckpoints, IdOf(context)));
  DL_ASSIGN_OR_RETURN(Json document, ParseJson(text, "checkpoints"));
  std::vector<Json> checkpoints = std::move(document);
  std::ranges::stable_sort(checkpoints, std::ranges::greater{}, [](const Json& checkpoint) {
    return checkpoint.value("round", int64_t{0});
  });
  context["checkpoints"] = std::move(checkpoints);
  return absl::OkStatus();
}

Status AddOverview(rpc::ClientService& master, Json& context) {
  DL_RETURN_IF_ERROR(AddCheckpoints(master, context));
  if (context["job"].value("has_rounds", false)) {
    DL_ASSIGN_OR_RETURN(context["diagnosis"], ReadDiagnosis(master, IdOf(context)));
  }
  const Json& job = context["job"];
  DL_ASSIGN_OR_RETURN(
      const std::vector<Json> events,
      ReadLastEvents(
          master, {.job = IdOf(context), .count = kOverviewed, .expected = ExpectedEvents(job)}));
  const Json stopping = job.value("early_stopping", Json::object());
  context["epochs"] = EpochsOf(events, stopping.value("round", int64_t{0}));
  context["notable"] = NotableEvents(events, kNotable);
  context["marks"] = MarksOf(events);
  return absl::OkStatus();
}

Status AddEvaluation(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const Json record, NewestEvaluation(master, context["job"]));
  if (record.is_null()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const Json manifest,
                      Document(master, rpc::QueryKind::kTrainManifest, IdOf(context)));
  DL_ASSIGN_OR_RETURN(Json evaluation, EvaluationDocument(record, ClassNames(manifest)));
  const Json targets = manifest.value("target_normalizer", Json::object());
  if (targets.value("kind", "none") != "none")
    DL_RETURN_IF_ERROR(UseUnitOfData(master, IdOf(context), evaluation));
  context["evaluation"] = std::move(evaluation);
  return absl::OkStatus();
}

Status AddSettings(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const Json spec, Document(master, rpc::QueryKind::kSpec, IdOf(context)));
  context["settings"] = SettingsDocument(spec);
  return absl::OkStatus();
}

Status AddModel(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const std::string spec, Text(master, rpc::QueryKind::kSpec, IdOf(context)));
  DL_ASSIGN_OR_RETURN(context["model"], ModelDocument(spec));
  return absl::OkStatus();
}

Status AddDatasets(rpc::ClientService& master, Json& context) {
  const std::string job = IdOf(context);
  DL_ASSIGN_OR_RETURN(const Json train, Document(master, rpc::QueryKind::kTrainManifest, job));
  context["dataset"] = {{"train", DatasetDescription(train)}};
  const StatusOr<Json> test = Document(master, rpc::QueryKind::kTestManifest, job);
  if (!test.ok() && !absl::IsNotFound(test.status())) return test.status();
  if (test.ok()) context["dataset"]["test"] = DatasetDescription(*test);
  return absl::OkStatus();
}

Status AddCluster(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const std::string text, JobDocument(master, rpc::QueryKind::kCluster, ""));
  DL_ASSIGN_OR_RETURN(context["cluster"], ParseJson(text, "cluster"));
  return absl::OkStatus();
}

Status AddTimeline(rpc::ClientService& master, int64_t last, Json& context) {
  DL_ASSIGN_OR_RETURN(
      context["timeline"],
      ReadTimeline(master, {.job = IdOf(context),
                            .last = last,
                            .workers = context["job"].value("workers", int64_t{1})}));
  return absl::OkStatus();
}

Status AddEvents(rpc::ClientService& master, int64_t before, Json& context) {
  DL_ASSIGN_OR_RETURN(std::vector<Json> events,
                      ReadLastEvents(master, {.job = IdOf(context),
                                              .before = before,
                                              .count = kEventsOfPage,
                                              .expected = ExpectedEvents(context["job"])}));
  const int64_t first = events.empty() ? 0 : events.front().value("seq", int64_t{0});
  if (first > 1 && events.size() == kEventsOfPage) context["older_before"] = first;
  context["newest"] = before > 0;
  std::ranges::reverse(events);
  context["events"] = std::move(events);
  return absl::OkStatus();
}

void AddTable(Json& comparison) {
  const std::vector<Json> jobs = comparison["jobs"];
  comparison["is_tall"] = jobs.size() > kMostColumns;
  if (jobs.size() > kMostColumns) AddRowsOfSettings(jobs, comparison);
}

}  // namespace dl::web
