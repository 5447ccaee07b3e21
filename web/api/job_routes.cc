#include "web/api/job_routes.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "rpc/remedy_text.h"
#include "web/api/dataset_summary.h"
#include "web/api/job_list.h"
#include "web/documents/diagnosis.h"

namespace dl::web {
namespace {

constexpr char kQuery[] = "Query";
constexpr int64_t kMaxJobs = 500;
constexpr int64_t kMaxPoints = 2'000;

StatusOr<HttpResponse> Json200(StatusOr<std::string> text) {
  DL_RETURN_IF_ERROR(text.status());
  return JsonResponse(*std::move(text));
}

std::string_view TypeOf(rpc::QueryKind what) {
  switch (what) {
    case rpc::QueryKind::kJob:
      return "Job";
    case rpc::QueryKind::kResult:
      return "Result";
    case rpc::QueryKind::kCheckpoints:
      return "[Checkpoint]";
    default:
      return "JobSpec";
  }
}

// Adds the sentence of a remedy that the master states as data.
StatusOr<std::string> WithRemedies(const std::string& text) {
  if (text.find("\"action\"") == std::string::npos) return text;
  DL_ASSIGN_OR_RETURN(Json document, ParseJson(text, "job"));
  rpc::AddRemedyTexts(document);
  return JsonText(document);
}

// Adds the number of the next page to the object in the reply, unless this is the last page.
void AppendNextFirst(rpc::QueryReply& reply) {
  if (reply.next_first == 0) return;
  reply.json.pop_back();  // the end of the object
  reply.json += R"(,"next_first":)" + std::to_string(reply.next_first) + "}";
}

// Returns a route that answers with a document about the job: kJob, kResult, kCheckpoints, kSpec.
Route DocumentRoute(rpc::ClientService& master, std::string pattern, rpc::QueryKind what,
                    std::string_view about) {
  return {.method = "GET",
          .pattern = std::move(pattern),
          .rpc_method = kQuery,
          .about = about,
          .document = TypeOf(what),
          .answer = [&master, what](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(const std::string text,
                                JobDocument(master, what, call.Variable("job")));
            return Json200(what == rpc::QueryKind::kSpec ? text : WithRemedies(text));
          }};
}

Route ListRoute(rpc::ClientService& master) {
  return {.method = "GET",
          .pattern = "/api/v1/jobs",
          .rpc_method = kQuery,
          .about = "List jobs, the newest first",
          .parameters = {{.name = "before",
                          .type = Parameter::Type::kInteger,
                          .about = "next_before of the page before; absent for the first page",
                          .min = 1},
                         {.name = "limit",
                          .type = Parameter::Type::kInteger,
                          .about = "most jobs of a page (50)",
                          .min = 1,
                          .max = kMaxJobs},
                         {.name = "state", .about = "only jobs in this state", .words = kJobStates},
                         {.name = "text",
                          .about = "only jobs with this text in id, name, owner or message"}},
          .document = "JobList",
          .answer = [&master](const Call& call) {
            return Json200(JobList(master, {.before = call.Integer("before", 0),
                                            .limit = call.Integer("limit", 50),
                                            .state = call.Text("state"),
                                            .text = call.Text("text")}));
          }};
}

Route SeriesRoute(rpc::ClientService& master) {
  constexpr auto kInteger = Parameter::Type::kInteger;
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/metrics",
          .rpc_method = kQuery,
          .about = "Read figures by round",
          .parameters = {{.name = "series",
                          .about = "names with commas between them; * stands for any characters "
                                   "(train/loss,test/*)"},
                         {.name = "first", .type = kInteger, .about = "first round", .min = 1},
                         {.name = "last", .type = kInteger, .about = "last round", .min = 1},
                         {.name = "points",
                          .type = kInteger,
                          .about = "most points of a curve (1000)",
                          .min = 2,
                          .max = kMaxPoints},
                         {.name = "rollback",
                          .type = kInteger,
                          .about = "number of a rollback: the rounds that it removed",
                          .min = 1}},
          .document = "Series",
          .answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(rpc::QueryReply reply,
                                master.Query({.what = rpc::QueryKind::kSeries,
                                              .job = call.Variable("job"),
                                              .first = call.Integer("first", 0),
                                              .series = call.Text("series", "*"),
                                              .last = call.Integer("last", 0),
                                              .max_entries = call.Integer("points", 0),
                                              .branch = call.Integer("rollback", 0)},
                                             limits::kControlDeadline));
            return JsonResponse(std::move(reply.json));
          }};
}

Route HistogramsRoute(rpc::ClientService& master) {
  constexpr auto kInteger = Parameter::Type::kInteger;
  constexpr int64_t kMaxRounds = 1'000;
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/histograms",
          .rpc_method = kQuery,
          .about = "Read histograms of parameters, changes and activations by round",
          .parameters = {{.name = "series",
                          .about = "names with commas between them; * stands for any characters "
                                   "(layer/*/parameters)"},
                         {.name = "first", .type = kInteger, .about = "first round", .min = 1},
                         {.name = "last", .type = kInteger, .about = "last round", .min = 1},
                         {.name = "points",
                          .type = kInteger,
                          .about = "most rounds, spread evenly (100)",
                          .min = 1,
                          .max = kMaxRounds},
                         {.name = "buckets",
                          .type = kInteger,
                          .about = "1: also the counts of the buckets (0)",
                          .max = 1}},
          .document = "Histograms",
          .answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(rpc::QueryReply reply,
                                master.Query({.what = rpc::QueryKind::kHistograms,
                                              .job = call.Variable("job"),
                                              .first = call.Integer("first", 0),
                                              .series = call.Text("series", "*"),
                                              .last = call.Integer("last", 0),
                                              .max_entries = call.Integer("points", 100),
                                              .buckets = call.Integer("buckets", 0) == 1},
                                             limits::kControlDeadline));
            AppendNextFirst(reply);
            return JsonResponse(std::move(reply.json));
          }};
}

// The figures of several jobs, so that a page with many jobs needs few requests.
Route SeriesOfJobsRoute(rpc::ClientService& master) {
  constexpr size_t kMaxJobsPerAnswer = 100;
  return {
      .method = "GET",
      .pattern = "/api/v1/metrics",
      .rpc_method = kQuery,
      .about = "Read figures by round of several jobs",
      .parameters = {{.name = "job", .about = "id of a job; once for each job", .repeated = true},
                     {.name = "series", .about = "as for one job"},
                     {.name = "points",
                      .type = Parameter::Type::kInteger,
                      .about = "most points of a curve (1000)",
                      .min = 2,
                      .max = kMaxPoints}},
      .document = "SeriesOfJobs",
      .answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
        std::string text = "{\"jobs\":[";
        size_t jobs = 0;
        for (const auto& [name, value] : call.request.target.parameters) {
          if (name != "job") continue;
          if (++jobs > kMaxJobsPerAnswer) {
            return InvalidArgument(
                {.message = absl::StrCat("an answer has at most ", kMaxJobsPerAnswer, " jobs"),
                 .where = "job",
                 .remedy = "Send several requests"});
          }
          DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply,
                              master.Query({.what = rpc::QueryKind::kSeries,
                                            .job = value,
                                            .series = call.Text("series", "*"),
                                            .max_entries = call.Integer("points", 0)},
                                           limits::kControlDeadline));
          absl::StrAppend(&text, jobs == 1 ? "" : ",", reply.json);
        }
        return JsonResponse(text + "]}");
      }};
}

Route TimelineRoute(rpc::ClientService& master) {
  constexpr auto kInteger = Parameter::Type::kInteger;
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/timeline",
          .rpc_method = kQuery,
          .about = "Read which executor had which unit, and when",
          .parameters = {{.name = "first", .type = kInteger, .about = "first round", .min = 1},
                         {.name = "last", .type = kInteger, .about = "last round", .min = 1}},
          .document = "Timeline",
          .answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(rpc::QueryReply reply,
                                master.Query({.what = rpc::QueryKind::kTimeline,
                                              .job = call.Variable("job"),
                                              .first = call.Integer("first", 0),
                                              .last = call.Integer("last", 0)},
                                             limits::kControlDeadline));
            AppendNextFirst(reply);
            return JsonResponse(std::move(reply.json));
          }};
}

Route LogRoute(rpc::ClientService& master) {
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/log",
          .rpc_method = kQuery,
          .about = "Read the round log: a record for each commit",
          .parameters = {{.name = "first",
                          .type = Parameter::Type::kInteger,
                          .about = "index of the first record, from 0"}},
          .document = "RoundLog",
          .answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply,
                                master.Query({.what = rpc::QueryKind::kLog,
                                              .job = call.Variable("job"),
                                              .first = call.Integer("first", 0)},
                                             limits::kControlDeadline));
            std::string text = R"({"records":)" + reply.json;
            if (reply.next_first > 0)
              text += R"(,"next_first":)" + std::to_string(reply.next_first);
            return JsonResponse(text + "}");
          }};
}

Route DatasetRoute(rpc::ClientService& master) {
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/dataset",
          .rpc_method = kQuery,
          .about = "Describe the training set and the test set",
          .document = "Datasets",
          .answer = [&master](const Call& call) {
            return Json200(DatasetSummary(master, call.Variable("job")));
          }};
}

Route DiagnosisRoute(rpc::ClientService& master) {
  return {.method = "GET",
          .pattern = "/api/v1/jobs/{job}/diagnosis",
          .rpc_method = kQuery,
          .about = "Describe in words what the curves of a job show",
          .document = "Diagnosis",
          .answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(const Json diagnosis, ReadDiagnosis(master, call.Variable("job")));
            return JsonResponse(JsonText(diagnosis));
          }};
}

}  // namespace

StatusOr<std::string> JobDocument(rpc::ClientService& master, rpc::QueryKind what,
                                  const std::string& job) {
  DL_ASSIGN_OR_RETURN(rpc::QueryReply reply,
                      master.Query({.what = what, .job = job, .max_age_ms = kAcceptedAgeMs},
                                   limits::kControlDeadline));
  return std::move(reply.json);
}

std::vector<Route> JobRoutes(rpc::ClientService& master) {
  std::vector<Route> routes;
  routes.push_back(ListRoute(master));
  routes.push_back(
      DocumentRoute(master, "/api/v1/jobs/{job}", rpc::QueryKind::kJob, "Show the state of a job"));
  routes.push_back(DocumentRoute(master, "/api/v1/jobs/{job}/result", rpc::QueryKind::kResult,
                                 "Show the result of a job, or its result so far"));
  routes.push_back(DocumentRoute(master, "/api/v1/jobs/{job}/checkpoints",
                                 rpc::QueryKind::kCheckpoints, "List the checkpoints of a job"));
  routes.push_back(DocumentRoute(master, "/api/v1/jobs/{job}/spec", rpc::QueryKind::kSpec,
                                 "Show the complete spec of a job"));
  routes.push_back(DatasetRoute(master));
  routes.push_back(DiagnosisRoute(master));
  routes.push_back(SeriesRoute(master));
  routes.push_back(HistogramsRoute(master));
  routes.push_back(SeriesOfJobsRoute(master));
  routes.push_back(TimelineRoute(master));
  routes.push_back(LogRoute(master));
  return routes;
}

}  // namespace dl::web
