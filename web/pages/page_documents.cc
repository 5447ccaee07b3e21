#include "web/pages/page_documents.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/limits.h"
#include "web/api/job_routes.h"

namespace dl::web {
namespace {

// Size of the small curve of a job in the list of jobs.
constexpr double kSparkWidth = 100;
constexpr double kSparkHeight = 24;
constexpr int64_t kSparkPoints = 40;
constexpr int64_t kMaxJobsShown = 500;

// Returns the points of an SVG polyline through the values, from left to right. Returns "" for less
// than two values.
std::string SparkOf(const std::vector<double>& values) {
  if (values.size() < 2) return "";
  const auto [low, high] = std::ranges::minmax(values);
  const double range = high > low ? high - low : 1;
  std::string points;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = kSparkWidth * static_cast<double>(i) / static_cast<double>(values.size() - 1);
    const double y = 1 + (kSparkHeight - 2) * (high - values[i]) / range;
    absl::StrAppend(&points, i == 0 ? "" : " ", absl::StrFormat("%.0f,%.1f", x, y));
  }
  return points;
}

// Returns the curve of the training loss of a job, or "" if it has none.
std::string SparkOfJob(rpc::ClientService& master, const std::string& job) {
  const StatusOr<rpc::QueryReply> reply = master.Query({.what = rpc::QueryKind::kSeries,
                                                        .job = job,
                                                        .series = "train/loss",
                                                        .max_entries = kSparkPoints},
                                                       limits::kControlDeadline);
  if (!reply.ok()) return "";
  const StatusOr<Json> series = ParseJson(reply->json, "series");
  if (!series.ok()) return "";
  const Json curves = series->value("curves", Json::array());
  if (curves.empty()) return "";
  std::vector<double> values;
  for (const Json& value : curves[0].value("mean", Json::array())) {
    if (value.is_number()) values.push_back(value.get<double>());
  }
  return SparkOf(values);
}

}  // namespace

StatusOr<Json> PageDocuments::Read(rpc::QueryKind what, const std::string& job) {
  DL_ASSIGN_OR_RETURN(const std::string text, JobDocument(master_, what, job));
  return ParseJson(text, job);
}

StatusOr<Json> PageDocuments::Job(const std::string& job) {
  DL_ASSIGN_OR_RETURN(Json document, Read(rpc::QueryKind::kJob, job));
  AddJobValues(document, user_);
  return document;
}

StatusOr<Json> PageDocuments::Jobs(const JobListRequest& request) {
  DL_ASSIGN_OR_RETURN(const std::string text, JobList(master_, request));
  DL_ASSIGN_OR_RETURN(Json list, ParseJson(text, "jobs"));
  for (Json& job : list["jobs"]) {
    AddJobValues(job, user_);
    if (job.value("has_rounds", false)) job["spark"] = SparkOfJob(master_, job.value("job", ""));
  }
  return list;
}

StatusOr<Json> PageDocuments::Cluster() {
  Json context = Json::object();
  DL_ASSIGN_OR_RETURN(context["cluster"], Read(rpc::QueryKind::kCluster, ""));
  DL_ASSIGN_OR_RETURN(const Json jobs, NewestJobs(kMaxJobsShown));
  Json waiting = Json::array();
  Json active = Json::array();
  for (const Json& job : jobs) {
    const std::string state = job.value("state", "");
    if (state == "QUEUED" || state == "WAITING" || state == "STARTING" || state == "RECOVERING") {
      waiting.push_back(job);
    } else if (state == "RUNNING" || state == "PAUSING" || state == "CANCELLING") {
      active.push_back(job);
    }
  }
  context["waiting"] = std::move(waiting);
  context["active"] = std::move(active);
  return context;
}

StatusOr<Json> PageDocuments::NewestJobs(int64_t limit) {
  DL_ASSIGN_OR_RETURN(const std::string text, JobList(master_, {.limit = limit}));
  DL_ASSIGN_OR_RETURN(Json list, ParseJson(text, "jobs"));
  for (Json& job : list["jobs"]) AddJobValues(job, user_);
  return list["jobs"];
}

}  // namespace dl::web
