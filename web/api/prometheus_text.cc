#include "web/api/prometheus_text.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "web/api/job_list.h"
#include "web/api/job_routes.h"

namespace dl::web {
namespace {

// Jobs that are read for the figures.
constexpr int64_t kMaxJobsRead = 500;

using Labels = std::vector<std::pair<std::string, std::string>>;

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\n') {
      escaped += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Collects samples by metric, because the format wants all samples of a metric together.
class Exposition {
 public:
  void Describe(const std::string& metric, std::string_view type, std::string_view about) {
    Family& family = families_[metric];
    family.head = absl::StrCat("# HELP ", metric, " ", std::string(about), "\n# TYPE ", metric, " ",
                               std::string(type), "\n");
  }
  // REQUIRES: the metric was described.
  void Add(const std::string& metric, double value, const Labels& labels = {}) {
    std::string line = metric;
    for (size_t i = 0; i < labels.size(); ++i) {
      absl::StrAppend(&line, i == 0 ? "{" : ",", labels[i].first, "=\"", Escaped(labels[i].second),
                      "\"");
    }
    absl::StrAppend(&line, labels.empty() ? " " : "} ", Json(value).dump(), "\n");
    families_.at(metric).samples += line;
  }
  // Adds the number at `key`, unless it is absent.
  void AddMember(const std::string& metric, const Json& object, const char* key,
                 const Labels& labels = {}) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_number()) Add(metric, found->get<double>(), labels);
  }
  std::string Text() const {
    std::string text;
    for (const auto& [metric, family] : families_) {
      if (!family.samples.empty()) absl::StrAppend(&text, family.head, family.samples);
    }
    return text;
  }

 private:
  struct Family {
    std::string head, samples;
  };
  std::map<std::string, Family> families_;
};

// The word for what an executor can do now.
std::string ConditionOf(const Json& executor) {
  if (executor.value("quarantined", false)) return "quarantined";
  if (executor.value("draining", false)) return "draining";
  if (executor.value("backed_off", false)) return "backed_off";
  return "available";
}

void AddMaster(Exposition& out, const Json& cluster) {
  out.Describe("paravane_master_term", "gauge", "Number of starts of the master.");
  out.AddMember("paravane_master_term", cluster, "term");
  out.Describe("paravane_core_steps_total", "counter", "Steps of the master's core.");
  out.Describe("paravane_core_long_steps_total", "counter",
               "Steps of the core that took more than 5 ms of processor time.");
  out.Describe("paravane_core_longest_step_seconds", "gauge",
               "Processor time of the longest step of the core.");
  if (const auto core = cluster.find("core"); core != cluster.end()) {
    out.AddMember("paravane_core_steps_total", *core, "steps");
    out.AddMember("paravane_core_long_steps_total", *core, "long_steps");
    out.Add("paravane_core_longest_step_seconds", core->value("longest_ms", 0.0) / 1000);
  }
  out.Describe("paravane_shortages_total", "counter",
               "How often the master lacked files or memory and tried again.");
  out.AddMember("paravane_shortages_total", cluster, "shortages");
  out.Describe("paravane_retries_total", "counter", "Repeated calls of executors, by purpose.");
  const Json retries = cluster.value("retries", Json::object());
  for (const auto& [purpose, count] : retries.items())
    out.Add("paravane_retries_total", count.get<double>(), {{"purpose", purpose}});
  out.Describe("paravane_jobs_queued", "gauge", "Jobs that wait for their turn.");
  out.AddMember("paravane_jobs_queued", cluster, "jobs_queued");
  out.Describe("paravane_executors_lost_total", "counter",
               "Executors that were killed, or that the master lost for another reason.");
  out.AddMember("paravane_executors_lost_total", cluster, "executors_lost");
  out.Describe("paravane_data_size_bytes", "gauge", "Size of the disk of the data folder.");
  out.Describe("paravane_data_free_bytes", "gauge", "Free space on the disk of the data folder.");
  const Json folder = cluster.value("data_folder", Json::object());
  out.AddMember("paravane_data_size_bytes", folder, "size_bytes");
  out.AddMember("paravane_data_free_bytes", folder, "free_bytes");
}

void AddExecutors(Exposition& out, const Json& executors) {
  std::map<std::string, int> conditions = {
      {"available", 0}, {"backed_off", 0}, {"draining", 0}, {"quarantined", 0}};
  out.Describe("paravane_executors", "gauge", "Registered executors, by condition.");
  out.Describe("paravane_executor_slots", "gauge", "Units that an executor computes at once.");
  out.Describe("paravane_executor_heartbeat_age_seconds", "gauge",
               "Time since the last heartbeat of an executor.");
  out.Describe("paravane_executor_cached_bytes", "gauge", "Size of an executor's block cache.");
  out.Describe("paravane_executor_fetched_bytes_total", "counter",
               "Bytes of blocks that an executor fetched from the master.");
  for (const Json& executor : executors) {
    ++conditions[ConditionOf(executor)];
    const Labels name = {{"executor", executor.value("executor", "")}};
    out.AddMember("paravane_executor_slots", executor, "slots", name);
    out.AddMember("paravane_executor_heartbeat_age_seconds", executor, "seconds_since_heartbeat",
                  name);
    out.AddMember("paravane_executor_cached_bytes", executor, "blocks_cached_bytes", name);
    out.AddMember("paravane_executor_fetched_bytes_total", executor, "blocks_fetched_bytes", name);
  }
  for (const auto& [condition, count] : conditions)
    out.Add("paravane_executors", count, {{"condition", condition}});
}

// Whether a job in this state should commit rounds.
bool IsInProgress(const std::string& state) {
  return state == "STARTING" || state == "RUNNING" || state == "RECOVERING" || state == "WAITING";
}

void AddJobs(Exposition& out, const Json& jobs) {
  std::map<std::string, int> states;
  out.Describe("paravane_jobs", "gauge", "The newest jobs, by state.");
  out.Describe("paravane_job_rounds", "gauge", "Rounds that a job in progress has committed.");
  out.Describe("paravane_job_planned_rounds", "gauge", "Rounds of a job in progress in all.");
  out.Describe("paravane_job_examples_per_second", "gauge", "Speed of a job in progress.");
  out.Describe("paravane_job_metric", "gauge", "Newest metrics of a job in progress, by data set.");
  for (const Json& job : jobs) {
    const std::string state = job.value("state", "");
    ++states[state];
    if (!IsInProgress(state)) continue;
    // Not "job", which Prometheus replaces by the name of the scrape job.
    const Labels name = {{"job_id", job.value("job", "")}};
    out.AddMember("paravane_job_rounds", job, "rounds", name);
    out.AddMember("paravane_job_planned_rounds", job, "rounds_total", name);
    out.AddMember("paravane_job_examples_per_second", job, "examples_per_second", name);
    const Json sets = job.value("metrics", Json::object());
    for (const auto& [set, metrics] : sets.items()) {
      for (const auto& [metric, value] : metrics.items()) {
        if (!value.is_number()) continue;
        out.Add("paravane_job_metric", value.get<double>(),
                {name[0], {"set", set}, {"metric", metric}});
      }
    }
  }
  for (const auto& [state, count] : states) out.Add("paravane_jobs", count, {{"state", state}});
}

}  // namespace

StatusOr<std::string> PrometheusText(rpc::ClientService& master) {
  DL_ASSIGN_OR_RETURN(const std::string cluster_text,
                      JobDocument(master, rpc::QueryKind::kCluster, ""));
  DL_ASSIGN_OR_RETURN(const Json cluster, ParseJson(cluster_text, "cluster"));
  DL_ASSIGN_OR_RETURN(const std::string jobs_text, JobList(master, {.limit = kMaxJobsRead}));
  DL_ASSIGN_OR_RETURN(const Json jobs, ParseJson(jobs_text, "jobs"));
  Exposition out;
  AddMaster(out, cluster);
  AddExecutors(out, cluster.value("executors", Json::array()));
  AddJobs(out, jobs.at("jobs"));
  return out.Text();
}

}  // namespace dl::web
