#include "web/pages/job_page_documents.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "rpc/remedy.h"
#include "web/api/job_list.h"
#include "web/api/job_routes.h"
#include "web/documents/dataset_description.h"
#include "web/documents/diagnosis.h"
#include "web/documents/evaluation_document.h"
#include "web/documents/executor_times.h"
#include "web/documents/histogram_document.h"
#include "web/documents/model_document.h"
#include "web/documents/recent_events.h"
#include "web/documents/sample_view.h"
#include "web/documents/score_curves.h"
#include "web/documents/settings_document.h"
#include "web/documents/timeline_document.h"
#include "web/pages/answer_figures.h"

namespace dl::web {
namespace {

constexpr size_t kNotable = 12;      // newest events of the overview
constexpr size_t kOverviewed = 400;  // events from which the overview takes epochs and marks
constexpr size_t kEventsOfPage = 200;
constexpr int64_t kOffered = 50;  // newest jobs that the settings can be compared with
// More compared jobs are the rows of the table of settings, otherwise its columns.
constexpr size_t kMaxColumns = 8;
constexpr size_t kMaxSettings = 24;  // columns if jobs are rows

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
  if (settings.size() > kMaxSettings) {
    comparison["more"] = settings.size() - kMaxSettings;
    settings.erase(settings.begin() + kMaxSettings, settings.end());
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

// Returns whether the job has a test set.
StatusOr<bool> HasTestSet(rpc::ClientService& master, const std::string& job) {
  const StatusOr<std::string> test = Text(master, rpc::QueryKind::kTestManifest, job);
  if (!test.ok() && !absl::IsNotFound(test.status())) return test.status();
  return test.ok();
}

// Says why a job has no evaluation.
StatusOr<Json> WithoutEvaluation(rpc::ClientService& master, const Json& job) {
  const std::string id = job.value("job", "");
  DL_ASSIGN_OR_RETURN(const bool has_test, HasTestSet(master, id));
  if (!has_test) return Json{{"has_no_test_set", true}};
  if (!job.value("is_live", false)) return Json{{"ended_before", true}};
  DL_ASSIGN_OR_RETURN(const Json spec, Document(master, rpc::QueryKind::kSpec, id));
  const Json training = spec.value("training", Json::object());
  const Json evaluation = training.value("evaluation", Json::object());
  const bool each_epoch = evaluation.value("every_epoch", true);
  return Json{{each_epoch ? "after_each_epoch" : "at_the_end", true}};
}

// An error as a page shows it in the place of a document. It has the member "action" for a remedy
// as data, and the page makes a sentence of it.
Json ProblemOf(const Status& error) {
  Json problem = {{"detail", std::string(error.message())},
                  {"where", ErrorWhere(error)},
                  {"remedy", ErrorRemedy(error)}};
  if (const rpc::Remedy remedy = rpc::RemedyOf(error);
      remedy.kind != rpc::RemedyKind::kNone && ErrorRemedy(error).empty())
    problem["action"] = rpc::ToJson(remedy);
  return problem;
}

constexpr int64_t kSamplesOfPage = 16;

// Adds the samples of a set to its document.
Status AddSamples(rpc::ClientService& master, const std::string& job, const std::string& set,
                  const ShownSamples& shown, Json& dataset) {
  if (shown.models == nullptr) return absl::OkStatus();
  const int64_t first = shown.set == set ? shown.first : 0;
  const StatusOr<std::string> text =
      shown.models->Samples(master, {.job = job,
                                     .set = set,
                                     .first = first,
                                     .count = kSamplesOfPage,
                                     .images = SampleImages::kLeftOut});
  if (absl::IsInvalidArgument(text.status())) return text.status();  // no such example
  if (!text.ok()) {
    dataset["shown"] = {{"problem", ProblemOf(text.status())}};
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(const Json answer, ParseJson(*text, "samples"));
  Json view = SampleView(answer);
  const auto end = first + std::ssize(view["samples"]);
  view["set"] = set;
  view["first"] = first + 1;
  view["last"] = end;
  if (end < answer.value("examples", int64_t{0})) view["next"] = end;
  if (first > 0) view["previous"] = Json{{"first", std::max<int64_t>(0, first - kSamplesOfPage)}};
  dataset["shown"] = std::move(view);
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
  DL_ASSIGN_OR_RETURN(const std::vector<Json> events,
                      ReadLastEvents(master, {.job = IdOf(context),
                                              .max_count = kOverviewed,
                                              .expected = ExpectedEvents(job)}));
  const Json stopping = job.value("early_stopping", Json::object());
  context["epochs"] = EpochsOf(events, stopping.value("round", int64_t{0}));
  context["notable"] = NotableEvents(events, kNotable);
  context["marks"] = MarksOf(events);
  return absl::OkStatus();
}

Status AddEvaluation(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const Json record, NewestEvaluation(master, context["job"]));
  if (record.is_null()) {
    DL_ASSIGN_OR_RETURN(context["no_evaluation"], WithoutEvaluation(master, context["job"]));
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(const Json manifest,
                      Document(master, rpc::QueryKind::kTrainManifest, IdOf(context)));
  DL_ASSIGN_OR_RETURN(Json evaluation, EvaluationDocument(record, ClassNames(manifest)));
  const Json targets = manifest.value("target_normalizer", Json::object());
  if (targets.value("kind", "none") != "none")
    DL_RETURN_IF_ERROR(UseUnitOfData(master, IdOf(context), evaluation));
  context["evaluation"] = std::move(evaluation);
  return absl::OkStatus();
}

Status AddCheckpointEvaluation(rpc::ClientService& master, ModelService& models, Json& context) {
  const StatusOr<std::string> text =
      models.Evaluate(master, {.job = IdOf(context), .round = "last"});
  if (!text.ok()) {
    context["checkpoint_evaluation"] = {{"problem", ProblemOf(text.status())}};
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(Json answer, ParseJson(*text, "evaluation"));
  Json shown = {{"round", answer["round"]},
                {"checkpoint", answer["checkpoint"]},
                {"examples", answer["examples"]},
                {"examined", answer["examined"]},
                {"is_part", answer["examined"] != answer["examples"]}};
  const Json figures = answer.value("figures", Json::object());
  std::vector<std::string> targets;
  if (figures.contains("outputs")) {
    DL_ASSIGN_OR_RETURN(const Json manifest,
                        Document(master, rpc::QueryKind::kTrainManifest, IdOf(context)));
    targets = TargetNames(manifest);
  }
  shown["charts"] = ScoreCurves(figures, targets);
  if (Json averages = AveragesOf(figures); !averages.empty())
    shown["averages"] = {{"list", std::move(averages)}};
  shown["predicts_numbers"] = answer.value("measure", "") == "squared_error";
  if (answer.contains("mistakes")) {
    const std::string measure = answer.value("measure", "");
    NameAnswers(targets, answer["mistakes"]);
    shown["worst"] = SampleView({{"samples", answer["mistakes"]}, {"columns", answer["columns"]}});
    shown["worst"]["set"] = "test";
    shown["worst"]["is_" + measure] = true;
    shown["worst"]["has_mistakes"] = !answer["mistakes"].empty();
    if (answer.contains("wrong")) shown["worst"]["all_wrong"] = answer["wrong"];
  }
  context["checkpoint_evaluation"] = std::move(shown);
  return absl::OkStatus();
}

Status AddSettings(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const Json spec, Document(master, rpc::QueryKind::kSpec, IdOf(context)));
  context["settings"] = SettingsDocument(spec);
  DL_ASSIGN_OR_RETURN(const std::string text, JobList(master, {.limit = kOffered}));
  DL_ASSIGN_OR_RETURN(const Json list, ParseJson(text, "jobs"));
  Json others = Json::array();
  for (const Json& job : list["jobs"]) {
    if (job.value("job", "") != IdOf(context)) others.push_back({{"job", job.value("job", "")}});
  }
  context["has_others"] = !others.empty();
  context["others"] = std::move(others);
  return absl::OkStatus();
}

Status AddModel(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const std::string spec, Text(master, rpc::QueryKind::kSpec, IdOf(context)));
  DL_ASSIGN_OR_RETURN(context["model"], ModelDocument(spec));
  DL_ASSIGN_OR_RETURN(context["histograms"],
                      ReadNewestHistograms(master, IdOf(context), context["model"]));
  return absl::OkStatus();
}

Status AddDatasets(rpc::ClientService& master, const ShownSamples& shown, Json& context) {
  const std::string job = IdOf(context);
  DL_ASSIGN_OR_RETURN(const Json train, Document(master, rpc::QueryKind::kTrainManifest, job));
  Json& dataset = context["dataset"] = {{"train", DatasetDescription(train)}};
  DL_RETURN_IF_ERROR(AddSamples(master, job, "train", shown, dataset["train"]));
  const StatusOr<Json> test = Document(master, rpc::QueryKind::kTestManifest, job);
  if (absl::IsNotFound(test.status())) return absl::OkStatus();
  DL_RETURN_IF_ERROR(test.status());
  dataset["test"] = DatasetDescription(*test);
  // The columns of a test set, their fills and the normalizer are those of the training set.
  for (const char* part : {"has_columns", "has_normalizer_rows"}) dataset["test"][part] = false;
  return AddSamples(master, job, "test", shown, dataset["test"]);
}

Status AddCluster(rpc::ClientService& master, Json& context) {
  DL_ASSIGN_OR_RETURN(const std::string text, JobDocument(master, rpc::QueryKind::kCluster, ""));
  DL_ASSIGN_OR_RETURN(context["cluster"], ParseJson(text, "cluster"));
  return absl::OkStatus();
}

Status AddJobExecutors(rpc::ClientService& master, Json& context) {
  DL_RETURN_IF_ERROR(AddCluster(master, context));
  DL_ASSIGN_OR_RETURN(
      const std::vector<ExecutorTimes> times,
      ReadExecutorTimes(master, IdOf(context), context["job"].value("workers", int64_t{1})));
  context["executor_times"] = ToJson(times);
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
                                              .max_count = kEventsOfPage,
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
  comparison["is_tall"] = jobs.size() > kMaxColumns;
  if (jobs.size() > kMaxColumns) AddRowsOfSettings(jobs, comparison);
}

}  // namespace dl::web
